  // Each finding as one line that opens: command, explanation, smallest case, what the worker said.

  const command = (name, text) =>
    el('div', { class: 'command' },
      el('span', { class: 'command-name' }, name),
      el('div', { class: 'command-line' }, el('code', { tabindex: 0 }, text),
        copyButton(`the ${name.toLowerCase()} command`, text)));

  // The repro file itself, so that the report alone is enough to replay it elsewhere.
  const download = (finding) => {
    if (finding.repro === undefined) return null;
    return el('button', {
      type: 'button',
      class: 'quiet',
      onclick: () => {
        const url = URL.createObjectURL(new Blob([finding.repro], { type: 'application/json' }));
        el('a', { href: url, download: `${finding.stem}.json` }).click();
        setTimeout(() => URL.revokeObjectURL(url), 1000);
      },
    }, 'Save the repro file');
  };

  const block = (title, text, open = false) =>
    text === undefined || text === '' ? null :
      el('details', { class: 'block', open },
        el('summary', {}, title),
        scrollBox(title, el('pre', {}, text), 'scroll code'));

  const firstSeen = (finding) => {
    const parts = [];
    if (finding.t !== undefined) parts.push(`found after ${duration(finding.t)}`);
    if (finding.cases !== undefined) parts.push(counted(finding.cases, 'case'));
    if (finding.seen !== undefined) parts.push(`seen ${counted(finding.seen, 'time')}`);
    if (finding.reproduces !== undefined) parts.push(`fails in ${finding.reproduces} runs`);
    return parts.join(' · ');
  };

  const shrunk = (finding) => finding.original_summary === undefined ? [] : [
    el('dt', {}, 'Found as'), el('dd', {}, finding.original_summary)];

  const siteText = (site) => `${site.file}:${site.line} ${site.function}`;

  const body = (finding) => el('div', { class: 'finding-body' },
    el('p', { class: 'meaning' }, finding.meaning),
    command('Replay', finding.replay),
    command('Fuzz', finding.fuzz),
    el('dl', { class: 'pairs' },
      el('dt', {}, 'Smallest case'), el('dd', {}, finding.case_summary),
      ...shrunk(finding),
      el('dt', {}, 'Where'),
      el('dd', {}, finding.sites.length === 0 ? 'no source line' :
        finding.sites.map((site) => el('code', { class: 'site' }, siteText(site)))),
      el('dt', {}, 'Signature'), el('dd', {}, el('code', {}, finding.signature))),
    block('Explanation', finding.explanation, true),
    block('Smallest case as JSON', finding.case),
    block('What the worker printed', finding.log),
    el('p', { class: 'actions' }, download(finding)));

  const tones = { open: 'bad', flaky: 'warn', fixed: 'good' };

  // The body of a finding is made when it is first opened: a campaign may have hundreds.
  const findingNode = (finding) => {
    const node = el('details', { class: `finding ${tones[finding.state]}`, id: finding.stem },
      el('summary', {},
        el('span', { class: 'finding-line' },
          el('span', { class: `pill ${tones[finding.state]}` }, finding.state),
          el('strong', { class: 'kind' }, finding.kind),
          el('span', { class: 'target' }, finding.target)),
        el('span', { class: 'sentence' }, finding.sentence),
        el('span', { class: 'seen' }, firstSeen(finding))));
    const fill = () => {
      if (node.querySelector('.finding-body') === null) node.append(body(finding));
    };
    node.addEventListener('toggle', () => { if (node.open) fill(); });
    return { finding, node, fill };
  };

  const matches = (finding, state, words) => {
    if (state !== 'all' && finding.state !== state) return false;
    const text = `${finding.kind} ${finding.target} ${finding.sentence} ${finding.signature}`;
    return words.every((word) => text.toLowerCase().includes(word));
  };

  const fillFindings = (data) => {
    const list = byId('findings-list');
    if (data.findings.length === 0) {
      list.append(el('p', { class: 'empty' }, 'No finding in this campaign.'));
      return;
    }
    const entries = data.findings.map(findingNode);
    const none = el('p', { class: 'empty', hidden: true }, 'No finding matches.');
    list.append(...entries.map((entry) => entry.node), none);
    let state = 'all';
    const search = el('input', { type: 'search', placeholder: 'kind, target, text' });
    const filter = () => {
      const words = search.value.toLowerCase().split(/\s+/).filter((word) => word !== '');
      let shown = 0;
      for (const { finding, node } of entries) {
        node.hidden = !matches(finding, state, words);
        shown += node.hidden ? 0 : 1;
      }
      none.hidden = shown > 0;
      say(counted(shown, 'finding'));
    };
    search.addEventListener('input', filter);
    byId('findings-tools').append(
      el('label', { class: 'choice' }, el('span', {}, 'Search'), search),
      selectOf('Show', [['all', 'all'], ['open', 'open'], ['flaky', 'flaky'], ['fixed', 'fixed']],
        state, (value) => { state = value; filter(); }));

    const openNamed = () => {
      const name = decodeURIComponent(location.hash.slice(1));
      const entry = entries.find((candidate) => candidate.finding.stem === name);
      const first = name === '' && entries[0].finding.state === 'open' ? entries[0] : undefined;
      const chosen = entry ?? first;
      if (chosen === undefined) return;
      chosen.fill();
      chosen.node.open = true;
      if (entry !== undefined) entry.node.scrollIntoView();
    };
    addEventListener('hashchange', openNamed);
    openNamed();
  };
