// Pictures of pages beside each other, in blocks of pixels: what is moved or missing changes the colours of blocks, the fonts of a
// machine hardly do.

/**
 * The blocks of two pictures whose mean colours are further apart than `far` (of 255), as a part of all blocks; 1 where the pictures have
 * different sizes. `page` is any page of the browser that compares them, with pictures as PNG; blocks have `cell` pixels a side.
 */
export async function difference(page, one, two, { cell, far }) {
  const urls = [one, two].map((bytes) => `data:image/png;base64,${bytes.toString("base64")}`);
  return page.evaluate(
    async ([urls, cell, far]) => {
      const shown = await Promise.all(urls.map((src) => new Promise((done, failed) => { const image = new Image(); image.onload = () => done(image); image.onerror = failed; image.src = src; })));
      if (shown[0].width !== shown[1].width || shown[0].height !== shown[1].height) return 1;
      const [width, height] = [Math.ceil(shown[0].width / cell), Math.ceil(shown[0].height / cell)];
      const [first, second] = shown.map((image) => {
        const canvas = Object.assign(document.createElement("canvas"), { width: image.width, height: image.height });
        const context = canvas.getContext("2d");
        context.drawImage(image, 0, 0);
        const { data } = context.getImageData(0, 0, image.width, image.height);
        const blocks = Array.from({ length: width * height }, () => [0, 0, 0, 0]);
        for (let y = 0; y < image.height; y++) {
          for (let x = 0; x < image.width; x++) {
            const block = blocks[Math.floor(y / cell) * width + Math.floor(x / cell)];
            for (const colour of [0, 1, 2]) block[colour] += data[(y * image.width + x) * 4 + colour];
            block[3] += 1;
          }
        }
        return blocks.map(([red, green, blue, count]) => [red / count, green / count, blue / count]);
      });
      const differs = first.filter((block, at) => block.some((colour, of) => Math.abs(colour - second[at][of]) > far));
      return differs.length / first.length;
    },
    [urls, cell, far],
  );
}
