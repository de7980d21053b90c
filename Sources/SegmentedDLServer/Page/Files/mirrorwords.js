// Mirrors in sentences: the changes, the progress, and the failures.
import { bytes, moment, plural } from "./format.js";
import { efforts } from "./words.js";

/// The name of a source: its address without the scheme.
export const nameOf = (mirror) => mirror.source.replace(/^https?:\/\//, "").replace(/\?.*$/, "");

export const icons = { running: "downloading", stopping: "paused", waiting: "queued", stopped: "paused", complete: "completed",
	incomplete: "failed", failed: "failed" };

export const states = { running: "Runs", stopping: "Stops", waiting: "Waits", stopped: "Stopped", complete: "Complete",
	incomplete: "Not complete", failed: "Failed" };

const count = (number, word) => number > 0 && `${number.toLocaleString("en")} ${word}`;

/// The files by outcome; empty while there are none.
function figures(mirror) {
	return [count(mirror.failed, "failed"), count(mirror.new, "new"), count(mirror.changed, "changed"), count(mirror.removed, "removed"),
		count(mirror.kept, "unchanged"), count(mirror.earlier, "from before the pause")].filter(Boolean).join(", ");
}

const gone = ({ gone: count }) => count > 0 && `${plural(count, "file is", "files are")} gone at the source; kept here`;

/// Why the whole run failed, without the address, which is the mirror's name.
export const problem = ({ problem: text, source }) => (text || "").replaceAll(`${source}: `, "").replace(`'${source}'`, "the source")
	.replace(/^./, (letter) => letter.toUpperCase());

const isQuiet = (mirror) => !(mirror.new || mirror.changed || mirror.removed || mirror.failed || mirror.earlier);

/// The finished files, and those of the source.
export const done = (mirror) => mirror.new + mirror.changed + mirror.kept + mirror.failed + mirror.earlier;

/// The line below the name.
export function sentence(mirror) {
	const { state } = mirror;
	if (state === "waiting") return "Waits until another mirror has ended";
	if (state === "running" || state === "stopping") {
		const files = `${done(mirror).toLocaleString("en")} of ${plural(mirror.listed, "file")}${mirror.isListed ? "" : " listed so far"}`;
		return [state === "stopping" ? "Stops" : null, files, figures(mirror)].filter(Boolean).join(" · ");
	}
	const when = mirror.ended ? ` ${moment(mirror.ended)}` : "";
	if (state === "failed") return `Failed${when}: ${problem(mirror) || "the source could not be read"}`;
	if (state === "stopped" && !mirror.ended) return "Has not run yet";
	const what = state === "complete" && isQuiet(mirror) ? `nothing changed in ${plural(mirror.kept, "file")}` : figures(mirror) || "no files";
	return [`${states[state]}${when}`, what, gone(mirror)].filter(Boolean).join(" · ");
}

/// The cost beyond the bytes of the files; empty while there is none.
export function cost({ cost: spent, bytesReceived, state }) {
	const parts = efforts(spent).join(", ");
	const ofFiles = bytesReceived - spent.bytesUnused;
	return parts && state !== "running" && ofFiles > 0 ? `${parts}, beside ${bytes(ofFiles)} of files` : parts;
}
