// Canvases in CSS pixels, and the colours of the current scheme.
const names = ["accent", "tint", "ink", "soft", "faint", "line", "warn", "raised", "rest", ...Array.from({ length: 8 }, (_, lane) => `lane${lane}`)];
let known = null;
const dark = matchMedia("(prefers-color-scheme: dark)");

export function colours() {
	if (known) return known;
	const style = getComputedStyle(document.documentElement);
	known = Object.fromEntries(names.map((name) => [name, style.getPropertyValue(`--${name}`).trim()]));
	return known;
}

export function onSchemeChange(redraw) {
	dark.addEventListener("change", () => { known = null; redraw(); });
}

export const lanes = 8;
export const laneColour = (lane) => colours()[`lane${lane % lanes}`];

/// A cleared context in CSS pixels.
export function context(canvas) {
	const scale = window.devicePixelRatio || 1;
	const [width, height] = [canvas.clientWidth || 240, canvas.clientHeight || 10];
	const size = [Math.round(width * scale), Math.round(height * scale)];
	if (canvas.width !== size[0] || canvas.height !== size[1]) [canvas.width, canvas.height] = size;
	const drawing = canvas.getContext("2d");
	drawing.setTransform(scale, 0, 0, scale, 0, 0);
	drawing.clearRect(0, 0, width, height);
	return { drawing, width, height };
}
