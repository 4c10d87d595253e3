// The search: which entries of the index fit a question, best first. It knows words of names, words that mean the same,
// and typing mistakes, and nothing of pages: it runs wherever there is JavaScript.
'use strict';
var ahpgenSearch = (rows, groups) => {
  const split = (name) => name.replace(/([a-z0-9])([A-Z])/g, '$1 $2').replace(/([A-Z])([A-Z][a-z])/g, '$1 $2').toLowerCase().split(/[^\p{L}\p{N}]+/u).filter(Boolean);

  // A word without its ending: sessions, created and cancelling come down to session, creat and cancel.
  const stem = (w) => w.length < 4 ? w : w.replace(/(ies|ied|y)$/, 'i').replace(w.length < 5 ? /(?<=[^s])s$/ : /(ations?|ings?|ed|es|s|e)$/, '').replace(/([^aeiou])\1$/, '$1') || w;

  const alike = new Map(); // from a stem to the stems of words that mean the same
  const spoken = new Set(); // words that mean something here
  for (const group of groups) {
    for (const a of group) {
      spoken.add(a);
      const of = alike.get(stem(a)) ?? new Set();
      for (const b of group) if (a !== b) of.add(stem(b));
      alike.set(stem(a), of);
    }
  }
  const idle = new Set('a an the to of for in on at by with from is are be do does how can could i we you my me what which when where who should must want need it its this that one'.split(' '));

  const vocabulary = new Map(); // from a word of names to its stem
  const entries = rows.map(([kind, name, go = '', owner = '', href = '', text = '']) => {
    const slash = name.lastIndexOf('/');
    const tail = name.slice(slash + 1).toLowerCase();
    const parts = split(name.slice(slash + 1)), before = split(name.slice(0, slash + 1)), others = split(owner);
    const inGo = split(owner ? go.slice(go.lastIndexOf('.') + 1) : go).filter((w) => !parts.includes(w) && !before.includes(w));
    for (const w of [...parts, ...before, ...inGo, ...others]) vocabulary.set(w, stem(w));
    if (parts.length > 1) vocabulary.set(tail, tail);
    const pairs = parts.slice(1).map((w, i) => parts[i] + w); // toolcall is written without its capital as often as with it
    for (const w of pairs) vocabulary.set(w, stem(w));
    const names = [...new Set([name, tail, go, owner + '.' + name, ...go.split(' ')].map((s) => s.toLowerCase()))];
    const low = ' ' + (text + ' ' + owner).toLowerCase().replace(/[^\p{L}\p{N}]+/gu, ' ');
    const stems = (list) => list.map(stem);
    return { kind, name, go, owner, href, text, names, low, pairs: stems(pairs), parts: stems(parts), before: stems(before), inGo: stems(inGo), others: stems(others), all: names.join('\n') };
  });
  const written = new Set(entries.flatMap((e) => e.low.split(' '))); // words of descriptions are no mistakes
  const stemmed = new Set(vocabulary.values());
  const said = [...new Set([...vocabulary.keys(), ...spoken])];

  // How many letters are to be typed, left out, changed or swapped between two words, if these are at most `most`.
  const distance = (a, b, most) => {
    if (Math.abs(a.length - b.length) > most) return most + 1;
    let older = [], old = Array.from({ length: b.length + 1 }, (_, j) => j);
    for (let i = 1; i <= a.length; i++) {
      const row = [i];
      for (let j = 1; j <= b.length; j++) {
        row[j] = Math.min(old[j] + 1, row[j - 1] + 1, old[j - 1] + (a[i - 1] === b[j - 1] ? 0 : 1));
        if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) row[j] = Math.min(row[j], older[j - 2] + 1);
      }
      if (Math.min(...row) > most) return most + 1;
      older = old;
      old = row;
    }
    return old[b.length];
  };

  const terms = new Map(); // kept, since people ask while they type
  // What a word of a question stands for: stems of words with how sure that is.
  const term = (word) => {
    if (terms.has(word)) return terms.get(word);
    const near = new Map(), whole = [word];
    const note = (s, sure) => { if (sure > (near.get(s) ?? 0)) near.set(s, sure); };
    const known = vocabulary.has(word) || spoken.has(word) || alike.has(stem(word)) || stemmed.has(stem(word));
    note(stem(word), 1);
    let begun = false;
    if (word.length > 1 && !stemmed.has(stem(word))) for (const [w, s] of vocabulary) if (w.startsWith(word)) { begun = true; note(s, .8); }
    for (const s of alike.get(stem(word)) ?? []) note(s, .7);
    const most = word.length < 4 ? 0 : word.length < 8 ? 1 : 2;
    if (!known && !begun && most && !written.has(word)) {
      let least = most;
      const meant = [];
      for (const w of said) {
        const d = w.length > 2 ? distance(word, w, least) : most + 1;
        if (d > least) continue;
        if (d < least) meant.length = 0;
        least = d;
        meant.push(w);
      }
      for (const w of meant) {
        note(stem(w), .6);
        whole.push(w);
        for (const s of alike.get(stem(w)) ?? []) note(s, .45);
      }
    }
    const made = { word, near, whole };
    terms.set(word, made);
    return made;
  };

  const weight = { channel: 6, change: 5, action: 9, request: 10, notification: 7, object: 4, union: 4, enum: 4, flags: 4, alias: 3, error: 5, member: -10, value: -12 };

  // How well an entry fits one word of a question, and which words of its name that is.
  const fitWord = (e, { word, near, whole }, met) => {
    let best = 0;
    const there = e.all.includes(word);
    if (there || whole.length > 1) for (const name of e.names) {
      if (name === word) best = Math.max(best, weight[e.kind] < 0 ? 46 : 60); // members are many
      else if (whole.includes(name)) best = Math.max(best, 45);
      else if (name.startsWith(word)) best = Math.max(best, word.length > 2 ? 40 : 20); // the first letter finds something
      else if (word.length > 2 && name.includes(word)) best = Math.max(best, 16);
    }
    const among = (list, points) => {
      for (const s of list) {
        const sure = near.get(s);
        if (!sure) continue;
        met.add(s);
        best = Math.max(best, points * sure);
      }
    };
    among(e.parts, 40);
    e.pairs.forEach((pair, i) => {
      if (near.has(pair)) among([pair], 40), met.add(e.parts[i]), met.add(e.parts[i + 1]);
    });
    among(e.before, 30);
    among(e.inGo, 25);
    among(e.others, 14);
    return best || (e.low.includes(' ' + word) ? 5 : 0); // by its description
  };

  const fit = (e, question, words) => {
    let score = 0, missed = 0, named = 0;
    const met = new Set();
    for (const t of words) {
      const s = fitWord(e, t, met);
      if (!s) missed++;
      if (s > 5) named++;
      score += s;
    }
    const tight = weight[e.kind] > 0 && e.names.some((n) => n === question || n === words.map((t) => t.word).join(''));
    if (tight) score += 100;
    // What is asked for by all of its words comes before what has more words than were asked for.
    const more = e.parts.filter((s) => !met.has(s)).length;
    score += more ? -more * (words.length > 1 ? 6 : 1) : 8;
    return { missed, named, score: score * 10 + (weight[e.kind] ?? 0) * 12 - Math.min(e.name.length, 60) / 10 };
  };

  const find = (text) => {
    const question = text.trim().toLowerCase();
    const asked = question.split(/\s+/).map((w) => w.replace(/^["'“”‘’(/-]+|["'“”‘’),?!]+$/g, '')).filter(Boolean);
    const telling = asked.filter((w) => !idle.has(w));
    const words = (telling.length ? telling : asked).map(term);
    if (!words.length) return [];
    let out = [];
    for (let may = 0; may <= Math.max(0, words.length - 2) && !out.length; may++) { // one word more may be missing each time
      for (const entry of entries) {
        const { missed, named, score } = fit(entry, question, words);
        if (!missed || missed <= may && named === words.length - missed) out.push({ entry, score });
      }
    }
    out.sort((a, b) => b.score - a.score);
    return out.slice(0, 50).map((f) => f.entry);
  };
  return { find, rows };
};
