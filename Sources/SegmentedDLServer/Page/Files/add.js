// Adding downloads: by paste, by drop, with options.
import { call } from "./api.js";
import { byId, forget, make, say } from "./dom.js";
import { plural } from "./format.js";
import { downloads } from "./links.js";
import { isMetalink, readMetalink } from "./metalink.js";

const most = 500;

const value = (id) => byId(id).value.trim() || null;

/// The values of the fields; throws a sentence about an invalid one.
function options() {
	const segments = value("add-segments");
	if (segments !== null && !/^[1-9][0-9]*$/.test(segments)) throw new Error("Connections are a number of 1 or more.");
	const headers = (value("add-headers") || "").split("\n").map((line) => line.trim()).filter(Boolean);
	const wrong = headers.find((line) => !/^[^\s:]+:/.test(line));
	if (wrong) throw new Error(`“${wrong}” is not a header; write Name: value.`);
	return {
		directory: value("add-directory"), name: value("add-name"), checksum: value("add-checksum"), headers,
		segments: segments === null ? null : Number(segments), paused: byId("add-paused").checked, ifExists: byId("add-exists").value,
	};
}

/// Adapts the fields to the downloads in a text.
function wanted(text) {
	let found = isMetalink(text) ? readMetalink(text) : downloads(text);
	const given = options();
	if (byId("add-mirrors").checked && found.length > 1) {
		found = [{ ...found[0], mirrors: found.slice(1).map((each) => each.url) }];
	}
	if (found.length > 1 && (given.name || given.checksum)) {
		throw new Error("A name and a checksum are for one link; add that one separately.");
	}
	return found.map((each) => ({ ...given, ...each }));
}

async function add(text) {
	const all = wanted(text);
	if (!all.length) return;
	const results = [];
	for (let start = 0; start < all.length; start += most) {
		results.push(...(await call("POST", "downloads", { downloads: all.slice(start, start + most) })).results);
	}
	const left = all.filter((_, index) => results[index].error);
	byId("urls").value = left.map((each) => each.url).join("\n");
	grow();
	if (!left.length) for (const id of ["add-name", "add-checksum", "add-headers"]) byId(id).value = "";
	const right = results.filter((result) => result.download).sort((one, other) => Boolean(one.isThere) - Boolean(other.isThere));
	const there = right.filter((result) => result.isThere);
	const count = right.length - there.length;
	if (right.length) reveal(right.map(({ download }) => download.id));
	const known = there.length > 1 ? `${there.length} links are in the list already.`
		: there.length ? `“${there[0].download.name}” is in the list already.` : "";
	const faults = [...new Set(results.filter((result) => result.error).map((result) => result.error.message))];
	const more = faults.length > 3 ? ` And ${faults.length - 3} others.` : "";
	say(faults.length ? faults.slice(0, 3).join(" ") + more
		: [count && `${plural(count, "download")} added.`, known].filter(Boolean).join(" "), !faults.length, "add");
}

function grow() {
	const area = byId("urls");
	area.rows = Math.min(8, Math.max(1, area.value.split("\n").length));
}

const attempt = (text) => add(text).catch((error) => say(error.message, false, "add"));

export function offerDirectories(status) {
	const list = byId("directories");
	if (list.childElementCount === status.directories.length) return;
	list.replaceChildren(...status.directories.map((each) => make("option", { value: each })));
	byId("add-directory").placeholder = status.directory;
	byId("place").replaceChildren("The files go to ", make("strong", {}, status.directory), " on the daemon's machine.");
}

function startDropping(isRow) {
	document.addEventListener("dragover", (event) => {
		if (isRow(event)) return;
		event.preventDefault();
		document.body.classList.add("dropping");
	});
	document.addEventListener("dragleave", (event) => { if (!event.relatedTarget) document.body.classList.remove("dropping"); });
	document.addEventListener("drop", async (event) => {
		if (isRow(event)) return;
		event.preventDefault();
		document.body.classList.remove("dropping");
		const transfer = event.dataTransfer;
		const texts = transfer.files.length ? await Promise.all([...transfer.files].map((file) => file.text()))
			: [transfer.getData("text/uri-list") || transfer.getData("text/plain")];
		for (const text of texts) await attempt(text);
	});
}

let reveal;

/// `isRow` distinguishes a dragged row of the list from other drags; `shown` receives the added ids.
export function startAdding(isRow, shown) {
	const area = byId("urls");
	reveal = shown;
	byId("add").addEventListener("input", () => forget("add"));
	byId("add").addEventListener("submit", (event) => { event.preventDefault(); attempt(area.value); });
	area.addEventListener("input", grow);
	area.addEventListener("keydown", (event) => {
		if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey)) return;
		event.preventDefault();
		attempt(area.value);
	});
	document.addEventListener("paste", (event) => {
		if (["INPUT", "TEXTAREA"].includes(event.target.tagName) || byId("dialog").open) return;
		event.preventDefault();
		area.value = [area.value.trim(), event.clipboardData.getData("text/plain").trim()].filter(Boolean).join("\n");
		grow();
		area.focus();
	});
	startDropping(isRow);
}
