// Small helpers to build and update elements. Text from the worker only ever becomes a text node.

export const byId = id => document.getElementById(id);

/** Makes an element. Attributes: `class`, `id`, `data-*`, …; `text` is its text; functions are listeners (`click`). */
export function make(tag, attributes = {}, ...children) {
  return fill(document.createElement(tag), attributes, children);
}

export function svg(tag, attributes = {}, ...children) {
  return fill(document.createElementNS('http://www.w3.org/2000/svg', tag), attributes, children);
}

function fill(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === 'function') element.addEventListener(name, value);
    else if (name === 'text') element.textContent = value;
    else if (value === true) element.setAttribute(name, '');
    else if (value !== null && value !== undefined && value !== false) element.setAttribute(name, value);
  }
  element.append(...children.filter(child => child !== null));
  return element;
}

/** Sets the text only where it differs, so that selections and screen readers are left alone. */
export function setText(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

export function setAttribute(element, name, value) {
  if (value === null || value === false) element.removeAttribute(name);
  else if (element.getAttribute(name) !== String(value)) element.setAttribute(name, value);
}

/** Makes the children of a parent follow a list: elements with the same key stay, so focus stays too. */
export function sync(parent, items, keyOf, create, update = () => {}) {
  const old = new Map([...parent.children].map(child => [child.key, child]));
  let place = parent.firstElementChild;
  for (const item of items) {
    const key = keyOf(item);
    let child = old.get(key);
    old.delete(key);
    if (!child) {
      child = create(item);
      child.key = key;
    }
    if (child === place) place = place.nextElementSibling;
    else parent.insertBefore(child, place);
    update(child, item);
  }
  for (const child of old.values()) child.remove();
}

/** Rows of a definition list: [term, text] pairs. */
export function syncPairs(list, pairs) {
  sync(list, pairs, ([term]) => term,
    ([term]) => make('div', {}, make('dt', { text: term }), make('dd')),
    (row, [, text]) => setText(row.lastChild, text));
}

/** Opens a modal dialog and gives the focus back to the element that had it. */
export function openDialog(dialog) {
  const before = document.activeElement;
  dialog.addEventListener('close', () => before?.isConnected && before.focus(), { once: true });
  dialog.showModal();
}
