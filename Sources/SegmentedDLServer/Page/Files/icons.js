// Small drawings of 16 by 16, one for each state.
const shapes = {
	queued: "M8 2a6 6 0 1 0 0 12A6 6 0 0 0 8 2M8 4.8V8l2.2 1.6",
	retrying: "M13 8a5 5 0 1 1-1.6-3.7M12.2 1.8v3h-3",
	probing: "M8 2.5v8M4.5 7.2 8 10.7l3.5-3.5M3 13.5h10",
	downloading: "M8 2.5v8M4.5 7.2 8 10.7l3.5-3.5M3 13.5h10",
	paused: "M5.5 3.5v9M10.5 3.5v9",
	verifying: "M8 1.8 13 3.6v4c0 3.2-2.2 5.4-5 6.6-2.8-1.2-5-3.4-5-6.6v-4L8 1.8M5.7 8l1.7 1.7 3-3.3",
	finalizing: "M8 1.8 13 3.6v4c0 3.2-2.2 5.4-5 6.6-2.8-1.2-5-3.4-5-6.6v-4L8 1.8M5.7 8l1.7 1.7 3-3.3",
	completed: "M3 8.6 6.4 12 13 4.6",
	failed: "M8 3v6.2M8 12.4v.2",
	cancelled: "M4 4l8 8M12 4l-8 8",
	chosen: "M2.5 2.5h11v11h-11zM5.2 8.2l2 2 3.7-4.4",
};

export function icon() {
	const drawing = document.createElementNS("http://www.w3.org/2000/svg", "svg");
	drawing.setAttribute("viewBox", "0 0 16 16");
	drawing.setAttribute("aria-hidden", "true");
	drawing.append(document.createElementNS("http://www.w3.org/2000/svg", "path"));
	return drawing;
}

export function setIcon(drawing, name) {
	const shape = shapes[name] || "";
	const path = drawing.firstChild;
	if (path.getAttribute("d") !== shape) path.setAttribute("d", shape);
}
