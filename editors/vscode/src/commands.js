// The server's command lines, without VS Code: how it is started, and what its lenses run.

/** How the server is started. */
function serverOptions(path) {
  return { command: path, args: ["lsp"] };
}

/** What VS Code sends to the server. */
function clientOptions() {
  return { documentSelector: [{ language: "keyfold" }] };
}

/** A word of a command line in quotes where a shell needs them. */
function quoted(word) {
  return /^[\w./=:@%+-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}

/** The command line of the lens *prove*. */
function proveLine(path, { model }) {
  return [path, "prove", model].map(quoted).join(" ");
}

/**
 * The command line of the lens *run*, with a value for each parameter; one without a value is left
 * out.
 */
function runLine(path, { model, name }, values) {
  const given = Object.entries(values).filter(([, value]) => value !== "");
  const words = given.map(([parameter, value]) => `${parameter}=${value}`);
  return [path, "run", model, name, ...words].map(quoted).join(" ");
}

/** The parameters of a lens: their names, and whether they may be left out. */
function parameters({ parameters: names }) {
  return names.map((name) => ({ name: name.replace(/\?$/, ""), isOptional: name.endsWith("?") }));
}

module.exports = { serverOptions, clientOptions, proveLine, runLine, parameters };
