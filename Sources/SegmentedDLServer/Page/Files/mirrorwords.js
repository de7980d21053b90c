// Mirrors in sentences: what changed, what goes on, and what went wrong.
import { bytes, moment, plural } from "./format.js";

/// The name of a source: its address without the scheme.
export const nameOf = (mirror) => mirror.source.replace(/^https?:\/\//, "").replace(/\?.*$/, "");

export const icons = { running: "downloading", stopping: "paused", waiting: "queued", stopped: "paused", complete: "completed",
  incomplete: "failed", failed: "failed" };

export const states = { running: "Runs", stopping: "Stops", waiting: "Waits", stopped: "Stopped", complete: "Complete",
  incomplete: "Not complete", failed: "Failed" };

const count = (number, word) => number > 0 && `${number.toLocaleString("en")} ${word}`;

/// The files by what happened to them; empty while nothing did.
function figures(mirror) {
  return [count(mirror.failed, "failed"), count(mirror.new, "new"), count(mirror.changed, "changed"), count(mirror.removed, "removed"),
    count(mirror.kept, "unchanged"), count(mirror.earlier, "from before the pause")].filter(Boolean).join(", ");
}

const isQuiet = (mirror) => !(mirror.new || mirror.changed || mirror.removed || mirror.failed || mirror.earlier);

/// The files that are done with, and those of the source.
export const done = (mirror) => mirror.new + mirror.changed + mirror.kept + mirror.failed + mirror.earlier;

/// The line below the name.
export function sentence(mirror) {
  const { state, problem } = mirror;
  if (state === "waiting") return "Waits until another mirror has ended";
  if (state === "running" || state === "stopping") {
    const files = `${done(mirror).toLocaleString("en")} of ${plural(mirror.listed, "file")}${mirror.isListed ? "" : " listed so far"}`;
    return [state === "stopping" ? "Stops" : null, files, figures(mirror)].filter(Boolean).join(" · ");
  }
  const when = mirror.ended ? ` ${moment(mirror.ended)}` : "";
  if (state === "failed") return `Failed${when}: ${problem || "the source could not be read"}`;
  if (state === "stopped" && !mirror.ended) return "Has not run yet";
  if (state === "complete" && isQuiet(mirror)) return `Complete${when} · nothing changed in ${plural(mirror.kept, "file")}`;
  return `${states[state]}${when} · ${figures(mirror) || "no files"}`;
}

/// The effort beyond the bytes of the files; empty while there is none.
export function cost({ cost: spent, bytesReceived, state }) {
  const parts = [
    spent.bytesUnused > 0 && `${bytes(spent.bytesUnused)} fetched twice or not needed`,
    spent.refusals > 0 && `${plural(spent.refusals, "request")} refused by a busy server`,
    spent.drops > 0 && plural(spent.drops, "broken connection"),
    spent.retries > 0 && plural(spent.retries, "request sent again", "requests sent again"),
  ].filter(Boolean).join(", ");
  if (state === "running" || !parts) return parts;
  return bytesReceived ? `${parts}, beside ${bytes(bytesReceived)} of files` : parts;
}
