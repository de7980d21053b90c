// The bytes of a file on disk, and the positions of active connections.
import { colours, context } from "./canvas.js";

/// Draws it if it has changed. `isForced` always draws it, for example in other colours.
export function drawMap(canvas, download, isForced = false) {
	const { bytesTotal: total, bytesCompleted, state, ranges, segments } = download;
	const key = `${download.id} ${state} ${bytesCompleted} ${total} ${canvas.clientWidth} ${ranges?.length} ${segments?.length}`;
	if (!isForced && canvas.shown === key) return;
	canvas.shown = key;
	const { drawing, width, height } = context(canvas);
	const colour = colours();
	const isRunning = state === "downloading" || state === "probing";
	drawing.fillStyle = isRunning || state === "completed" ? colour.accent : colour.rest;
	if (state === "completed") { drawing.fillRect(0, 0, width, height); return; }
	if (!total) return;
	// A range of a few bytes must still be visible.
	const bar = ([start, end]) => drawing.fillRect(start / total * width, 0, Math.max((end - start) / total * width, 0.75), height);
	const isKnown = ranges?.length || !bytesCompleted;
	(isKnown ? ranges || [] : [[0, bytesCompleted]]).forEach(bar);
	if (!isRunning) return;
	drawing.fillStyle = colour.ink;
	for (const { position } of segments || []) drawing.fillRect(Math.min(position / total * width, width - 2), 0, 2, height);
}
