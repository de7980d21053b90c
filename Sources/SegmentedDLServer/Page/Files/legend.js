// The connections of a trace in words and numbers: the text beside the picture.
import { make, setText } from "./dom.js";
import { bytes, clock, plural, rate, share } from "./format.js";
import { laneColour } from "./canvas.js";

const name = (lane) => `Connection ${lane + 1}`;

export function eventWords(event, total) {
	const place = share(event.at, total);
	const words = {
		took: () => `${name(event.lane)} was free and took over the last ${bytes(event.length)} of connection ${event.from + 1}, from ${place} of the file.`,
		began: () => `${name(event.lane)} began at ${place} of the file.`,
		again: () => `${name(event.lane)} connected again at ${place} of the file.`,
	};
	return words[event.kind]();
}

/// The picture in one or two sentences.
export function summary(trace) {
	const count = trace.connections.length;
	const taken = trace.events.findLast((event) => event.kind === "took");
	return `${plural(count, "active connection")}. ${taken ? eventWords(taken, trace.total) : ""}`.trim();
}

const signs = [["disk", "on the disk"], ["line", "a connection; the flatter its line, the faster it is"],
	["dot", "here a free connection took over a part of another's work"]];

/// The meaning of the picture's signs.
export const key = () => make("ul", { class: "key muted" }, ...signs.map(([sign, text]) => make("li", {}, make("span", { class: sign }), text)));

export class Legend {
	constructor() {
		this.body = make("tbody");
		this.rows = [];
		this.events = make("ol", { reversed: true });
		this.table = make("table", { class: "legend" },
			make("thead", {}, make("tr", {}, ...["Connection", "Is at", "Speed", "Still to fetch"].map((text) => make("th", { scope: "col" }, text)))), this.body);
		this.log = make("details", {}, make("summary", {}, "What happened"), this.events);
		this.element = make("div", {}, this.table, this.log);
	}

	show(trace) {
		const { connections, total, events } = trace;
		while (this.rows.length > connections.length) this.rows.pop().element.remove();
		while (this.rows.length < connections.length) this.rows.push(this.addRow());
		connections.forEach((stroke, index) => {
			const row = this.rows[index];
			row.swatch.style.background = laneColour(stroke.lane);
			setText(row.name, String(stroke.lane + 1));
			setText(row.at, total ? share(stroke.position, total) : "");
			setText(row.speed, rate(stroke.rate));
			setText(row.rest, bytes(Math.max(0, stroke.end - stroke.position)));
		});
		this.table.hidden = !connections.length;
		this.log.hidden = !events.length;
		if (this.shownEvent === events.at(-1)) return;
		this.shownEvent = events.at(-1);
		this.events.replaceChildren(...events.slice(-20).reverse().map((event) => make("li", {}, `${clock(event.now)} ${eventWords(event, total)}`)));
	}

	addRow() {
		const [swatch, label, at, speed, rest] = [make("span", { class: "swatch" }), make("span"), make("td"), make("td"), make("td")];
		const element = make("tr", {}, make("th", { scope: "row" }, swatch, label), at, speed, rest);
		this.body.append(element);
		return { element, swatch, name: label, at, speed, rest };
	}
}
