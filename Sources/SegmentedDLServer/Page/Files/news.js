// Announcements for screen readers: ends of downloads, several at a time.
import { byId } from "./dom.js";
import { plural } from "./format.js";
import { fault } from "./words.js";

let ended = [];
let timer = 0;

function tell() {
	const failed = ended.filter((download) => download.state === "failed").length;
	const [only] = ended;
	byId("news").textContent = ended.length > 1 ? `${plural(ended.length - failed, "download")} done, ${failed} failed.`
		: only.state === "failed" ? `${only.name} failed: ${fault(only)}` : `${only.name} is complete.`;
	ended = [];
	timer = 0;
}

export function announce(download, before) {
	const isNew = before !== undefined && before !== download.state;
	if (!isNew || !["completed", "failed"].includes(download.state)) return;
	ended.push(download);
	timer ||= setTimeout(tell, 1500);
}
