/** What is wrong with the page as it is shown: sizes, contrasts, labels. */
export function examined() {
  const found = [];
  const root = document.documentElement;
  if (root.scrollWidth > root.clientWidth)
    found.push(`scrolls sideways by ${root.scrollWidth - root.clientWidth}`);
  if (document.querySelectorAll("h1").length !== 1) found.push("has not one h1");
  const parts = (color) => color.match(/[\d.]+/g).map(Number);
  const light = (color) => {
    const [r, g, b] = parts(color).map((part) =>
      part / 255 <= 0.04045 ? part / 255 / 12.92 : ((part / 255 + 0.055) / 1.055) ** 2.4,
    );
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const ground = (element) => {
    for (let one = element; one !== null; one = one.parentElement) {
      const color = getComputedStyle(one).backgroundColor;
      if ((parts(color)[3] ?? 1) === 1) return color;
    }
    return "rgb(255, 255, 255)";
  };
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node = texts.nextNode(); node !== null; node = texts.nextNode()) {
    const element = node.parentElement;
    if (node.data.trim() === "" || element.closest("noscript,script") !== null || !element.checkVisibility())
      continue;
    const [one, other] = [light(getComputedStyle(element).color), light(ground(element))];
    const contrast = (Math.max(one, other) + 0.05) / (Math.min(one, other) + 0.05);
    if (contrast < 4.5) found.push(`contrast ${contrast.toFixed(2)} of “${node.data.trim()}”`);
  }
  for (const field of document.querySelectorAll("input:not([type=hidden]),textarea")) {
    if (field.labels.length === 0) found.push(`${field.id} has no label`);
  }
  const ids = [...document.querySelectorAll("[id]")].map(({ id }) => id);
  if (new Set(ids).size !== ids.length) found.push("an id stands twice");
  for (const target of document.querySelectorAll("a.button,button,nav a,input")) {
    const { height } = target.getBoundingClientRect();
    if (height > 0 && height < 40) found.push(`“${target.textContent}” is ${height} high`);
  }
  return found;
}
