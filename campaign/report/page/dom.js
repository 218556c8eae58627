// The opening of the page's one scope, and how elements are made. Texts become text nodes or
// attribute values, never markup: what a campaign says may come from anybody.
(() => {
  'use strict';

  // el('p', {class: 'x', onclick: f}, 'text', child, [children])
  const el = (tag, attributes = {}, ...children) => {
    const node = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes)) {
      if (value === undefined || value === null || value === false) continue;
      if (name.startsWith('on')) node.addEventListener(name.slice(2), value);
      else node.setAttribute(name, value === true ? '' : String(value));
    }
    node.append(...children.flat().filter((child) => child !== null && child !== undefined));
    return node;
  };

  const byId = (id) => document.getElementById(id);

  // For people who listen to the page.
  const say = (text) => {
    byId('said').textContent = text;
  };

  // Wide tables and long lines scroll in a box of their own, which the keyboard can reach.
  const scrollBox = (label, child, className = 'scroll') =>
    el('div', { class: className, tabindex: 0, role: 'region', 'aria-label': label }, child);

  // columns: [{title, number: bool, cell: row => text or node}]
  const tableOf = (caption, columns, rows) =>
    el('table', { class: 'plain' },
      el('caption', { class: 'unseen' }, caption),
      el('thead', {}, el('tr', {}, columns.map((column) =>
        el('th', { scope: 'col', class: column.number ? 'number' : null }, column.title)))),
      el('tbody', {}, rows.map((row) =>
        el('tr', {}, columns.map((column, i) =>
          el(i === 0 ? 'th' : 'td',
            { scope: i === 0 ? 'row' : null, class: column.number ? 'number' : null },
            column.cell(row)))))));

  const selectOf = (label, options, value, changed) => {
    const select = el('select', { onchange: () => changed(select.value) },
      options.map(([key, text]) => el('option', { value: key, selected: key === value }, text)));
    return el('label', { class: 'choice' }, el('span', {}, label), select);
  };

  // A browser may refuse the clipboard to a page from a file; the old way then still works.
  const copyText = async (text) => {
    try {
      await navigator.clipboard.writeText(text);
      return true;
    } catch {
      const area = el('textarea', { class: 'unseen', 'aria-hidden': 'true' });
      area.value = text;
      document.body.append(area);
      area.select();
      const copied = document.execCommand('copy');
      area.remove();
      return copied;
    }
  };

  const copyButton = (what, text) => {
    const button = el('button', {
      type: 'button',
      class: 'copy',
      'aria-label': `Copy ${what}`,
      onclick: async () => {
        const copied = await copyText(text);
        button.textContent = copied ? 'Copied' : 'Not copied';
        say(copied ? `Copied ${what}` : `The browser did not let us copy ${what}`);
        setTimeout(() => { button.textContent = 'Copy'; }, 2000);
      },
    }, 'Copy');
    return button;
  };
