// The proof: the digest that a file was compared with, and the line with which anyone can do that again.
import { button, copy, make, say } from "./dom.js";

/// A line for sha256sum -c and its like; a name with a line break or a backslash is escaped as coreutils does.
export function sumLine(hex, path) {
  const isPlain = !/[\\\n\r]/.test(path);
  const escaped = path.replaceAll("\\", "\\\\").replaceAll("\n", "\\n").replaceAll("\r", "\\r");
  return isPlain ? `${hex}  ${path}` : `\\${hex}  ${escaped}`;
}

export function proof({ algorithm, hex }, download) {
  const command = `${algorithm.replace("-", "")}sum -c`;
  if (download.state !== "completed") {
    return [make("h3", {}, "Digest that it must have"), make("p", { class: "muted" }, `The file gets its name only if its ${algorithm} is this one.`),
      make("code", {}, hex)];
  }
  const line = sumLine(hex, download.path || download.name);
  const code = make("code", {}, line);
  const said = (isCopied) => say(isCopied ? `Copied. Check it with: ${command}` : `The line is selected; copy it, and check it with: ${command}`, true);
  return [make("h3", { class: "proved" }, `Verified: its ${algorithm} is the one that was given`), code,
    button(`Copy for ${command}`, async () => said(await copy(line, code)))];
}
