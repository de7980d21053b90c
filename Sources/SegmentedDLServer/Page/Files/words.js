// The activity of a download, why it is not faster, its failures and the remedies, in sentences.
import { bytes, clock, duration, moment, plural } from "./format.js";

export const groups = { active: ["probing", "downloading", "verifying", "finalizing"], waiting: ["queued", "retrying"],
	paused: ["paused"], done: ["completed"], failed: ["failed", "cancelled"] };

export const isActive = (download) => groups.active.includes(download.state);

export const isEnded = ({ state }) => [...groups.done, ...groups.failed].includes(state);

const states = { queued: "Waits for its turn", probing: "Asks the server", paused: "Paused", verifying: "Compares the digest",
	finalizing: "Gets its name", cancelled: "Cancelled" };

/// The meaning of a wrong digest, without its two long numbers.
function mismatch(text, download) {
	const [, algorithm = "checksum"] = /bytes have (?:another )?(\S+) /.exec(text) || [];
	const [, field] = /the server's (\S+) says/.exec(text) || [];
	const [, kept] = /kept as '(.*)'/.exec(text) || [];
	return `The bytes are not what the ${field ? `server's ${field}` : algorithm} says.${kept ? ` They are kept as ${kept}, and not as ${download.name}.` : ""}`;
}

/// An error's text without its leading address or path, because the download is named beside it.
export function fault(download) {
	let text = download.error?.message || "";
	for (const prefix of [download.url, download.path]) {
		if (prefix && text.startsWith(`${prefix}: `)) text = text.slice(prefix.length + 2);
	}
	if (download.error?.code === "checksumMismatch") return mismatch(text, download);
	return text && text[0].toUpperCase() + text.slice(1);
}

/// The line below the name in the list.
export function sentence(download) {
	const { state } = download;
	if (download.isOld) return "Was under way when the daemon last answered";
	if (state === "failed") return `Failed: ${fault(download).replace(`${download.directory}/`, "")}`;
	if (state === "retrying") {
		return download.retriesAt ? `Waits until ${clock(download.retriesAt)}. ${fault(download)}` : `Tries again. ${fault(download)}`;
	}
	if (state === "completed") {
		const [digest] = download.proofs?.length ? download.proofs : download.checksums || [];
		const verified = digest ? `, verified by ${digest.algorithm}` : "";
		return `Done${download.ended ? ` ${moment(download.ended)}` : ""}${verified}`;
	}
	if (state === "downloading") return download.slowBecause || plural(download.connections, "connection");
	const refusals = state === "probing" && download.cost?.refusals;
	return refusals ? `The server refused ${plural(refusals, "request")}. Asks again` : states[state] || state;
}

/// Whether it is as fast as its caps or the line allow.
export const isFull = ({ state, bottleneck }) => state === "downloading" && ["line", "connectionCap", "hostCap"].includes(bottleneck?.kind);

/// Why it is not faster, or does not run.
export function reason(download) {
	if (download.state === "failed") return fault(download);
	if (download.state === "retrying") {
		const left = download.retriesAt ? duration(download.retriesAt - Date.now() / 1000) : "";
		return `${left ? `Waits ${left}, until ${clock(download.retriesAt)}.` : "Tries again."} ${fault(download)}`;
	}
	if (download.isOld || download.state === "completed") return sentence(download);
	return download.slowBecause || (download.state === "downloading" ? "Nothing that slows it down has shown." : sentence(download));
}

/// The cost of a file beyond its bytes.
export const efforts = (spent) => [
	spent?.bytesUnused > 0 && `${bytes(spent.bytesUnused)} fetched twice or not needed`,
	spent?.refusals > 0 && `${plural(spent.refusals, "request")} refused by a busy server`,
	spent?.drops > 0 && plural(spent.drops, "broken connection"),
	spent?.retries > 0 && plural(spent.retries, "request sent again", "requests sent again"),
].filter(Boolean);

export function cost({ cost: spent, attempts, state }) {
	const parts = [...efforts(spent), ...(attempts > 1 ? [`begun ${attempts} times`] : [])];
	return parts.join(", ") || (state === "completed" && spent ? "None: each byte was received once" : "");
}

const advices = {
	checksumMismatch: "Compare the checksum with the one that the site shows. If it is the same, the server sent another file: begin again, or take another link. If it is not, add the link with the right one. The kept bytes can be deleted.",
	diskFull: "Press Retry once that disk has free space; a waiting download resumes automatically.",
	fileExists: "Rename or remove that file, or add the link again with “replace the file”.",
	remoteFileChanged: "The file is another one now. Begin again to fetch the new one.",
	tlsFailed: "Look at the server's certificate in a browser. If a proxy stands between, this machine has to trust it.",
	cannotResolve: "Look at the name in the link, and whether this machine is in the network.",
	connectionFailed: "The server may be down. Try later, or add a mirror.",
	timedOut: "The server does not send. Try later, or add a mirror.",
	permissionDenied: "Let the daemon's user write to that directory, then press Retry.",
};

const statusAdvices = {
	401: "Add the link again as https://user:password@…",
	403: "Copy the link again while you are logged in there, or add it with the headers Cookie or Referer.",
	404: "The file is not at that address. Look at the link for a mistake, or for a newer one on the site.",
	410: "The file has gone from that address. Look for a newer link on the site.",
	429: "The server asks for patience; fewer connections help (Settings).",
	503: "The server is busy; fewer connections help (Settings).",
};

/// The remedy for an error; empty if none is known.
export function advice(download) {
	const { error, state } = download;
	if (!error || !["failed", "retrying"].includes(state)) return "";
	return (error.code === "httpStatus" ? statusAdvices[error.status] : advices[error.code]) || "";
}
