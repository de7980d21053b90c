// The picture of a trace: the file from left to right, time downwards from now. Each connection leaves an area of its
// colour, whose edge is flatter the faster it was.
import { colours, context, laneColour } from "./canvas.js";
import { duration } from "./format.js";

const shortest = 30;
const steps = [10, 30, 60, 120, 300];

export const spanOf = (trace) => Math.max(trace.last - trace.first, shortest);

export function drawTrace(canvas, trace) {
	const { drawing, width, height } = context(canvas);
	if (!trace.total || trace.last === null) return;
	const colour = colours();
	const span = spanOf(trace);
	const x = (byte) => byte / trace.total * width;
	const y = (now) => (trace.last - now) / span * height;

	drawing.fillStyle = colour.line;
	const bottom = Math.min(y(trace.first), height);
	for (const [start, end] of trace.before) drawing.fillRect(x(start), 0, Math.max(x(end) - x(start), 0.75), bottom);
	for (const stroke of trace.strokes) drawArea(drawing, stroke, x, y);
	drawTimes(drawing, span, width, height, colour);
	for (const stroke of trace.strokes) drawEdge(drawing, stroke, x, y);
	for (const stroke of trace.strokes) if (stroke.from) drawTaking(drawing, stroke, x, y, colour);
	drawLabels(drawing, span, width, height, colour);
}

function drawArea(drawing, stroke, x, y) {
	drawing.beginPath();
	drawing.moveTo(x(stroke.left), y(stroke.points[0][0]));
	for (const [now, position] of stroke.points) drawing.lineTo(x(position), y(now));
	drawing.lineTo(x(stroke.position), 0);
	drawing.lineTo(x(stroke.left), 0);
	drawing.closePath();
	drawing.globalAlpha = stroke.until === null ? 0.34 : 0.2;
	drawing.fillStyle = laneColour(stroke.lane);
	drawing.fill();
	drawing.globalAlpha = 1;
}

function drawEdge(drawing, stroke, x, y) {
	drawing.beginPath();
	for (const [now, position] of stroke.points) drawing.lineTo(x(position), y(now));
	drawing.strokeStyle = laneColour(stroke.lane);
	drawing.lineWidth = stroke.until === null ? 2.5 : 1.75;
	drawing.lineJoin = "round";
	drawing.stroke();
}

/// A dotted line from where the connection had ended to the tail that it stole, with a dot there.
function drawTaking(drawing, stroke, x, y, colour) {
	const at = y(stroke.points[0][0]);
	drawing.strokeStyle = drawing.fillStyle = laneColour(stroke.lane);
	if (stroke.from.position !== undefined) {
		drawing.setLineDash([1.5, 3]);
		drawing.lineWidth = 1;
		drawing.beginPath();
		drawing.moveTo(x(stroke.from.position), at);
		drawing.lineTo(x(stroke.left), at);
		drawing.stroke();
		drawing.setLineDash([]);
	}
	drawing.beginPath();
	drawing.arc(x(stroke.left), at, 4, 0, 7);
	drawing.fill();
	drawing.lineWidth = 1.5;
	drawing.strokeStyle = colour.raised;
	drawing.stroke();
}

const step = (span) => steps.find((each) => span / each <= 4) || 300;

/// Calls `body` with each time that gets a line, in seconds before now, and its position.
function forEachTime(span, height, body) {
	for (let ago = step(span); ago < span * 0.97; ago += step(span)) body(ago, Math.round(ago / span * height) + 0.5);
}

function drawTimes(drawing, span, width, height, colour) {
	drawing.fillStyle = colour.line;
	forEachTime(span, height, (_, at) => drawing.fillRect(0, at - 0.5, width, 1));
}

/// Labels lie over the connections, on separate plates.
function drawLabels(drawing, span, width, height, colour) {
	drawing.font = "11px Inter, system-ui, sans-serif";
	drawing.textBaseline = "bottom";
	drawing.textAlign = "right";
	const label = (text, at) => {
		const wide = drawing.measureText(text).width + 8;
		drawing.fillStyle = colour.raised;
		drawing.beginPath();
		drawing.roundRect(width - wide - 3, at - 8, wide, 16, 4);
		drawing.fill();
		drawing.fillStyle = colour.soft;
		drawing.fillText(text, width - 7, at + 6);
	};
	label("now", 11);
	forEachTime(span, height, (ago, at) => label(`${duration(ago).replace(" 0 s", "")} ago`, at));
}
