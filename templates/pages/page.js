// What pages do: light and dark, the menu of narrow windows, search, filters, copying. Pages can be read without it.
'use strict';
(function () {
  const html = document.documentElement;

  // Light or dark. It is set before anything is painted; some browsers keep nothing for pages on a disk.
  const stored = {
    get() { try { return localStorage.getItem('ahpgen-theme'); } catch { return null; } },
    set(value) { try { localStorage.setItem('ahpgen-theme', value); } catch { /* it lasts as long as the page */ } },
  };
  const theme = stored.get();
  if (theme === 'light' || theme === 'dark') html.dataset.theme = theme;

  function isDark() {
    return html.dataset.theme ? html.dataset.theme === 'dark' : matchMedia('(prefers-color-scheme: dark)').matches;
  }

  // The search is loaded once somebody is about to search: as a script, because pages on a disk may not fetch.
  let find = null;
  let waiting = [];
  window.ahpgenIndex = (rows, groups) => {
    find = ahpgenSearch(rows, groups).find;
    window.ahpgenFind = find; // for tests, and for the curious
    waiting.forEach((f) => f());
    waiting = [];
  };

  function load(then) {
    if (find) return then();
    waiting.push(then);
    if (waiting.length > 1) return;
    const script = document.createElement('script');
    script.src = html.dataset.root + 'assets/search.js';
    document.head.append(script);
  }

  // Text with what was asked for marked in it.
  function marked(into, text, words) {
    const low = text.toLowerCase();
    let at = 0;
    while (at < text.length) {
      let next = -1, length = 0;
      for (const word of words) {
        const i = low.indexOf(word, at);
        if (i >= 0 && (next < 0 || i < next || (i === next && word.length > length))) { next = i; length = word.length; }
      }
      if (next < 0 || low.length !== text.length) break;
      into.append(text.slice(at, next));
      const mark = document.createElement('mark');
      mark.textContent = text.slice(next, next + length);
      into.append(mark);
      at = next + length;
    }
    into.append(text.slice(at));
  }

  function element(tag, name, text) {
    const e = document.createElement(tag);
    if (name) e.className = name;
    if (text) e.textContent = text;
    return e;
  }

  // The part of a description where a word is.
  function excerpt(text, words) {
    const low = text.toLowerCase();
    const at = Math.min(...words.map((w) => low.indexOf(w)).filter((i) => i >= 0));
    return Number.isFinite(at) && at > 70 ? '…' + text.slice(text.indexOf(' ', at - 40)) : text;
  }

  function search() {
    const input = document.getElementById('search');
    const list = document.getElementById('found');
    if (!input) return;
    let chosen = -1;

    function choose(i) {
      const all = list.querySelectorAll('a');
      if (!all.length) return;
      chosen = (i + all.length) % all.length;
      all.forEach((a, n) => a.setAttribute('aria-selected', n === chosen));
      all[chosen].scrollIntoView({ block: 'nearest' });
      input.setAttribute('aria-activedescendant', all[chosen].id);
    }

    function close() {
      list.hidden = true;
      input.setAttribute('aria-expanded', 'false');
      input.removeAttribute('aria-activedescendant');
    }

    function show() {
      if (!input.value.trim()) return close();
      const words = input.value.trim().toLowerCase().split(/\s+/);
      const found = find(input.value);
      list.replaceChildren(...found.map((entry, i) => {
        const a = element('a');
        a.href = html.dataset.root + entry.href;
        a.id = 'found-' + i;
        a.setAttribute('role', 'option');
        a.tabIndex = -1;
        const name = element('bdi', 'name');
        if (entry.owner) name.append(element('span', 'owner', entry.owner + ' '));
        marked(name, entry.name, words);
        a.append(name, element('span', 'kind', entry.kind));
        const text = element('bdi', 'text');
        const inGo = entry.go && !entry.name.toLowerCase().includes(words[0]) && entry.go.toLowerCase().includes(words[0]);
        marked(text, inGo ? 'In Go: ' + entry.go : excerpt(entry.text, words), words);
        a.append(text);
        return a;
      }));
      if (!found.length) list.append(element('p', '', 'Nothing is called so, or described with these words.'));
      list.hidden = false;
      input.setAttribute('aria-expanded', 'true');
      choose(0);
    }

    input.addEventListener('focus', () => load(() => { if (input.value) show(); }));
    input.addEventListener('input', () => load(show));
    input.addEventListener('keydown', (e) => {
      const open = !list.hidden;
      if (e.key === 'ArrowDown' && open) choose(chosen + 1);
      else if (e.key === 'ArrowUp' && open) choose(chosen - 1);
      else if (e.key === 'Enter' && open) list.querySelectorAll('a')[chosen]?.click();
      else if (e.key === 'Escape') { close(); input.blur(); return; }
      else return;
      e.preventDefault();
    });
    document.addEventListener('pointerdown', (e) => { if (!e.target.closest('.search')) close(); });
    list.addEventListener('click', close); // the place may be on this page
    document.addEventListener('keydown', (e) => {
      const typing = e.target.closest('input, textarea, select, [contenteditable]');
      if ((e.key === '/' && !typing) || (e.key === 'k' && (e.ctrlKey || e.metaKey))) {
        e.preventDefault();
        input.focus();
        input.select();
      }
    });
  }

  // Hides blocks and groups of which nothing is left, and links to them, and counts what is left.
  function tidy(rows) {
    let any = false;
    for (const block of document.querySelectorAll('main .block, main .group')) {
      const all = [...block.querySelectorAll(rows)];
      if (!all.length) continue;
      const left = all.filter((e) => !e.hidden).length;
      block.hidden = !left;
      any ||= left > 0;
      const n = block.querySelector(':scope > h2 > .n');
      if (n) n.textContent = left;
    }
    for (const a of document.querySelectorAll('.contents a, .jump a')) {
      const to = document.getElementById(decodeURIComponent(new URL(a.href).hash.slice(1)));
      (a.closest('li') ?? a).hidden = !!to?.hidden;
    }
    let note = document.getElementById('nothing');
    if (!note) {
      note = element('p', 'note', 'Nothing here fits.');
      note.id = 'nothing';
      document.querySelector('.filterline, .filters').after(note);
    }
    note.hidden = any;
  }

  // What is folded opens for a link that leads into it, and on paper.
  function folds() {
    const open = () => {
      const to = location.hash ? document.getElementById(decodeURIComponent(location.hash.slice(1))) : null;
      for (let e = to; e; e = e.parentElement) if (e.localName === 'details') e.open = true;
      if (to?.closest('details')) to.scrollIntoView();
    };
    open();
    addEventListener('hashchange', open);
    addEventListener('beforeprint', () => document.querySelectorAll('details').forEach((e) => { e.open = true; }));
  }

  // Rows that hold a word, or one of the kinds that are asked for.
  function filters() {
    const input = document.getElementById('filter');
    input?.addEventListener('input', () => {
      const words = input.value.trim().toLowerCase().split(/\s+/);
      for (const row of document.querySelectorAll('main .block .row')) {
        const text = (row.textContent + ' ' + (row.dataset.go || '')).toLowerCase();
        row.hidden = !words.every((w) => text.includes(w));
      }
      tidy('.row');
    });
    const toggles = [...document.querySelectorAll('.toggle')];
    const apply = () => {
      const on = toggles.filter((t) => t.getAttribute('aria-pressed') === 'true').map((t) => t.dataset.filter);
      for (const e of document.querySelectorAll('[data-is]')) e.hidden = !e.dataset.is.split(' ').some((is) => on.includes(is));
      for (const fold of document.querySelectorAll('.block > .fold')) fold.open = !toggles.every(isOn);
      tidy('[data-is]');
    };
    const isOn = (t) => t.getAttribute('aria-pressed') === 'true';
    for (const t of toggles) {
      t.addEventListener('click', () => {
        // The first click asks for one kind alone, further ones add and take away; without any, all are shown.
        if (toggles.every(isOn)) toggles.forEach((other) => other.setAttribute('aria-pressed', other === t));
        else t.setAttribute('aria-pressed', !isOn(t));
        if (!toggles.some(isOn)) toggles.forEach((other) => other.setAttribute('aria-pressed', true));
        apply();
      });
    }
    if (toggles.length && !toggles.every(isOn)) {
      apply();
      for (const fold of document.querySelectorAll('.block > .fold')) fold.open = false;
    }
  }

  document.addEventListener('DOMContentLoaded', () => {
    document.querySelector('.theme')?.addEventListener('click', () => {
      html.dataset.theme = isDark() ? 'light' : 'dark';
      stored.set(html.dataset.theme);
    });
    const menu = document.querySelector('.menu');
    const side = document.getElementById('side');
    menu?.addEventListener('click', () => menu.setAttribute('aria-expanded', side.classList.toggle('open')));
    document.addEventListener('keydown', (e) => {
      if (e.key === 'Escape' && side?.classList.contains('open')) { menu.click(); menu.focus(); }
    });
    const current = side?.querySelector('[aria-current]');
    if (current && current.offsetTop > side.clientHeight - 80) side.scrollTop = current.offsetTop - side.clientHeight / 2;
    for (const button of document.querySelectorAll('.copy')) {
      button.addEventListener('click', () => {
        const text = button.closest('figure').querySelector('pre').textContent;
        const said = () => { button.textContent = 'Copied'; setTimeout(() => { button.textContent = 'Copy'; }, 1500); };
        if (navigator.clipboard) navigator.clipboard.writeText(text).then(said, () => {});
      });
    }
    search();
    filters();
    folds();
  });
})();
