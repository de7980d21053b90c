// Text enters the page as text only: names of files come from anywhere.
export const byId = (id) => document.getElementById(id);

export function make(name, attributes = {}, ...children) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (key === "class") element.className = value;
    else if (key.startsWith("on")) element.addEventListener(key.slice(2), value);
    else if (value === true) element.setAttribute(key, "");
    else if (value !== false && value !== null && value !== undefined) element.setAttribute(key, value);
  }
  element.append(...children.filter((child) => child !== null));
  return element;
}

export function setText(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

/// A canvas' context in CSS pixels, cleared.
export function context(canvas, height) {
  const scale = window.devicePixelRatio || 1;
  const width = canvas.clientWidth || 240;
  const size = [Math.round(width * scale), Math.round(height * scale)];
  if (canvas.width !== size[0] || canvas.height !== size[1]) [canvas.width, canvas.height] = size;
  const drawing = canvas.getContext("2d");
  drawing.setTransform(scale, 0, 0, scale, 0, 0);
  drawing.clearRect(0, 0, width, height);
  return { drawing, width };
}

export const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

let timer = 0;

/// Says something to the person: an error, or a short success.
export function say(text, isGood = false) {
  const message = byId("message");
  message.textContent = text;
  message.classList.toggle("good", isGood);
  message.hidden = !text;
  clearTimeout(timer);
  if (isGood) timer = setTimeout(() => { message.hidden = true; }, 4000);
}
