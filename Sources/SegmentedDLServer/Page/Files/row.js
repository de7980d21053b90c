// One line of the list.
import { make, setAttribute, setLine, setText } from "./dom.js";
import { bytes, duration, percent, rate } from "./format.js";
import { icon, setIcon } from "./icons.js";
import { drawMap } from "./map.js";
import { sentence } from "./words.js";

export const height = 56;

const kind = "application/x-segdl";

/// Whether a row of the list is dragged, and not something from elsewhere.
export const isRowDragged = (event) => event.dataTransfer.types.includes(kind);

export class Row {
	constructor(place, list) {
		this.place = place;
		this.list = list;
		this.icon = icon();
		this.mark = make("span", { class: "mark" }, this.icon);
		[this.name, this.what] = ["name", "what"].map((part) => make("span", { class: part }));
		[this.size, this.percent, this.speed, this.left] = ["size", "percent", "speed", "left"]
			.map((part) => make("span", { class: `figure ${part}` }));
		this.map = make("canvas", { class: "map", "aria-hidden": "true" });
		this.element = make("div", { class: "row", role: "option", id: `row-${place}`, draggable: "true" },
			this.mark, this.name, this.size, this.percent, this.speed, this.left, this.what, this.map);
		this.element.style.top = `${place * height}px`;
		this.element.addEventListener("click", (event) => list.click(place, event, this.mark.contains(event.target)));
		this.startDragging();
	}

	show(download, { isCurrent, isChosen, isFresh }, total, isForced) {
		const isRunning = download?.state === "downloading" && !download.isOld;
		this.element.className = `row ${download?.state || "unknown"}${isCurrent ? " current" : ""}${isFresh ? " fresh" : ""}`;
		setAttribute(this.element, "aria-selected", isChosen);
		setAttribute(this.element, "aria-posinset", this.place + 1);
		setAttribute(this.element, "aria-setsize", total);
		setIcon(this.icon, isChosen && this.list.chosen.size > 1 ? "chosen" : download?.state);
		setText(this.name, download ? download.name || download.url : "…");
		setLine(this.what, download ? sentence(download) : "");
		setText(this.size, download?.bytesTotal ? bytes(download.bytesTotal) : "");
		setText(this.percent, download ? percent(download) : "");
		setText(this.speed, isRunning ? rate(download.bytesPerSecond) : "");
		setText(this.left, isRunning ? duration(download.secondsRemaining) : "");
		this.map.hidden = !download || ["completed", "failed"].includes(download.state) || !(download.bytesCompleted || isRunning);
		if (!this.map.hidden) drawMap(this.map, download, isForced);
	}

	startDragging() {
		const { element, list, place } = this;
		const isLower = (event) => event.offsetY > height / 2;
		element.addEventListener("dragstart", (event) => {
			const id = list.idAt(place);
			const ids = list.chosen.has(id) ? [...list.chosen] : [id];
			event.dataTransfer.setData(kind, JSON.stringify(ids.filter(Boolean)));
			event.dataTransfer.effectAllowed = "move";
		});
		element.addEventListener("dragover", (event) => {
			if (!isRowDragged(event)) return;
			event.preventDefault();
			element.classList.toggle("above", !isLower(event));
			element.classList.toggle("below", isLower(event));
		});
		const leave = () => element.classList.remove("above", "below");
		element.addEventListener("dragleave", leave);
		element.addEventListener("drop", (event) => {
			leave();
			if (!isRowDragged(event)) return;
			event.preventDefault();
			const ids = JSON.parse(event.dataTransfer.getData(kind));
			const before = list.openAt(isLower(event) ? place + 1 : place);
			if (ids.includes(before)) return;
			if (before) list.actions.move("before", ids, before);
			else list.actions.move("back", ids);
		});
	}
}
