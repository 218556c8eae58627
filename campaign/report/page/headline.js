  // The top of the page: what ran, how it stands, and the numbers that people ask for first.

  const fact = (name, value) =>
    value === undefined || value === null || value === '' ? [] :
      [el('div', {}, el('dt', {}, name), el('dd', {}, String(value)))];

  const statusOf = (headline) => {
    if (headline.open > 0) return ['bad', counted(headline.open, 'open finding')];
    if (headline.flaky > 0) return ['warn', counted(headline.flaky, 'flaky finding')];
    return ['good', 'Nothing found'];
  };

  const endOf = (headline) => {
    if (!headline.ended) return 'still running, or killed';
    return headline.end_reason === '' ? 'ended' : `ended: ${headline.end_reason}`;
  };

  const fillHeader = (data) => {
    const { config, headline } = data;
    const [tone, text] = statusOf(headline);
    byId('status').append(el('span', { class: `pill ${tone}` }, text),
      el('span', { class: 'pill' }, endOf(headline)));
    byId('facts').append(
      ...fact('Platform', config.platform),
      ...fact('Version', config.version),
      ...fact('Commit', config.commit),
      ...fact('Seed', config.seed),
      ...fact('Jobs', config.jobs),
      ...fact('Started', config.started),
      ...fact('Workers lost', withCommas(headline.worker_deaths)),
      ...fact('Resumed', headline.resumes === 0 ? 'never' : counted(headline.resumes, 'time')));
    byId('written').textContent =
      `Written ${data.written_at} by ${data.written_by}. This file needs no network.`;
  };

  const card = (id, name, value, note, tone) =>
    el('li', { class: `card ${tone ?? ''}` },
      el('span', { class: 'card-name' }, name),
      el('strong', { class: 'card-value', id }, value),
      el('span', { class: 'card-note' }, note));

  const coverageCard = (headline) => {
    if (headline.cells === 0) {
      return card('value-coverage', 'Coverage', withCommas(headline.cells_hit), 'cells hit');
    }
    return card('value-coverage', 'Coverage', percent(headline.cells_hit / headline.cells),
      `${withCommas(headline.cells_hit)} of ${counted(headline.cells, 'cell')}`);
  };

  const fillHeadline = (data) => {
    const { headline } = data;
    byId('headline').append(
      card('value-findings', 'Findings', withCommas(headline.open),
        `${withCommas(headline.flaky)} flaky, ${withCommas(headline.fixed)} fixed`,
        headline.open > 0 ? 'bad' : 'good'),
      card('value-cases', 'Cases', withCommas(headline.cases), 'run and judged'),
      card('value-rate', 'Cases per second', rate(headline.cases_per_s), 'mean of all workers'),
      coverageCard(headline),
      card('value-time', 'Time', duration(headline.seconds),
        headline.resumes > 0 ? `over ${counted(headline.resumes + 1, 'run')}` : 'in one run'));
  };

  const fillProblems = (data) => {
    if (data.problems.length === 0) return;
    byId('problems').append(el('div', { class: 'notice', role: 'note' },
      el('p', {}, 'Some of this campaign could not be read:'),
      el('ul', {}, data.problems.map((problem) => el('li', {}, problem)))));
  };
