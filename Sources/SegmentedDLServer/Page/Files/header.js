// The head of the page: the current speed, its last minutes, and the cap, which is changed in place.
import { call } from "./api.js";
import { byId, button, forget, make, say, setText } from "./dom.js";
import { bytes, duration, parseSize, plural, rate } from "./format.js";
import { Graph } from "./graph.js";

const usual = ["no limit", "256 KiB", "1 MiB", "5 MiB", "20 MiB"];

export class Header {
	constructor() {
		this.graph = new Graph(byId("graph"));
		this.place = byId("cap-place");
		this.button = button("no limit", () => this.edit(), { id: "cap", class: "quiet", title: "Limit the speed" });
		this.place.append(this.button);
		this.cap = null;
	}

	show(status) {
		this.cap = status.limits.bytesPerSecond;
		setText(byId("speed"), rate(status.bytesPerSecond));
		setText(this.button, this.cap ? `of ${rate(this.cap)}` : "no limit");
		setText(byId("summary"), this.summary(status));
		document.title = status.bytesPerSecond > 0 ? `${rate(status.bytesPerSecond)} – segdl` : "segdl";
		this.graph.add(status.bytesPerSecond, this.cap);
	}

	summary(status) {
		if (!status.connections) return "Nothing runs";
		const left = duration(status.secondsRemaining);
		return plural(status.connections, "connection") + (left ? `, ${left} left` : "");
	}

	showLost() {
		setText(byId("speed"), "–");
		setText(byId("summary"), "");
		document.title = "segdl does not answer";
	}

	edit() {
		const list = make("datalist", { id: "caps" }, ...usual.map((value) => make("option", { value })));
		const input = make("input", { id: "cap-input", list: "caps", value: this.cap ? bytes(this.cap) : "", placeholder: "no limit",
			"aria-label": "Limit for the speed of all downloads, such as 2 MiB" });
		const form = make("form", { id: "cap-form", autocomplete: "off" }, input, list);
		const leave = () => { forget("cap"); if (form.isConnected) this.place.replaceChildren(this.button); };
		form.addEventListener("submit", async (event) => {
			event.preventDefault();
			const cap = parseSize(input.value);
			if (cap === undefined) { say(`“${input.value}” is not a speed; write 300 KiB or 2 MiB, or nothing for no limit.`, false, "cap"); return; }
			await call("PATCH", "limits", { bytesPerSecond: cap })
				.then(({ limits }) => { this.cap = limits.bytesPerSecond; setText(this.button, this.cap ? `of ${rate(this.cap)}` : "no limit"); },
					(error) => say(error.message));
			leave();
			this.button.focus();
		});
		input.addEventListener("keydown", (event) => {
			if (event.key !== "Escape") return;
			event.stopPropagation();
			leave();
			this.button.focus();
		});
		input.addEventListener("blur", leave);
		this.place.replaceChildren(form);
		input.focus();
		input.select();
	}
}
