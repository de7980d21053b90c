// The speed of the last minutes, with the cap as a line.
import { colours, context } from "./canvas.js";
import { rate } from "./format.js";
import { setAttribute } from "./dom.js";

const span = 300;
// The first samples soon fill it: an empty picture says nothing.
const shortestSpan = 60;

export class Graph {
	constructor(canvas) {
		this.canvas = canvas;
		this.samples = [];
		this.cap = null;
		new ResizeObserver(() => this.draw()).observe(canvas);
	}

	/// Adds the current speed. `cap` is null for none.
	add(speed, cap, now = Date.now() / 1000) {
		this.samples.push({ now, speed });
		this.cap = cap;
		while (this.samples[0].now < now - span) this.samples.shift();
		this.draw();
		const top = Math.max(...this.samples.map((sample) => sample.speed));
		setAttribute(this.canvas, "aria-label", `Speed of the last five minutes: now ${rate(speed)}, at most ${rate(top)}.`);
	}

	draw() {
		const { drawing, width, height } = context(this.canvas);
		const colour = colours();
		drawing.fillStyle = colour.line;
		drawing.fillRect(0, height - 1, width, 1);
		if (!this.samples.length) return;
		const last = this.samples.at(-1).now;
		const shown = Math.max(shortestSpan, last - this.samples[0].now);
		const top = Math.max(...this.samples.map((sample) => sample.speed), 1) * 1.1;
		const x = (now) => width - (last - now) / shown * width;
		const y = (speed) => height - 1 - speed / top * (height - 3);
		const line = () => {
			drawing.beginPath();
			this.samples.forEach(({ now, speed }, index) => {
				// The daemon was away for a while: the line must show the gap.
				const isGap = index > 0 && now - this.samples[index - 1].now > 5;
				if (isGap) { drawing.lineTo(x(this.samples[index - 1].now), y(0)); drawing.lineTo(x(now), y(0)); }
				drawing.lineTo(x(now), y(speed));
			});
		};
		line();
		drawing.lineTo(width, height - 1);
		drawing.lineTo(x(this.samples[0].now), height - 1);
		drawing.closePath();
		drawing.fillStyle = colour.tint;
		drawing.fill();
		line();
		drawing.strokeStyle = colour.accent;
		drawing.lineWidth = 1.5;
		drawing.lineJoin = "round";
		drawing.stroke();
		if (this.cap && this.cap < top) {
			drawing.setLineDash([3, 3]);
			drawing.strokeStyle = colour.warn;
			drawing.lineWidth = 1;
			drawing.beginPath();
			drawing.moveTo(0, y(this.cap));
			drawing.lineTo(width, y(this.cap));
			drawing.stroke();
			drawing.setLineDash([]);
		}
	}
}
