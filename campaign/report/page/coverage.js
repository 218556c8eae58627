  // Coverage as a heat map over any two of its dimensions. Its fields are table cells with their
  // numbers, so it reads without colours; arrow keys walk over it.

  const kLevels = 6;

  // Hits and cells of each pair of values: Map from "row column" to {hits, cells, hit}.
  const pivot = (coverage, rowAt, columnAt) => {
    const sums = new Map();
    for (const row of coverage.rows) {
      const key = `${row[rowAt]} ${row[columnAt]}`;
      const sum = sums.get(key) ?? { hits: 0, cells: 0, hit: 0 };
      const hits = row[row.length - 1];
      sum.hits += hits;
      sum.cells += 1;
      sum.hit += hits > 0 ? 1 : 0;
      sums.set(key, sum);
    }
    return sums;
  };

  // Logarithmic: a cell hit ten times is nearer to one hit a thousand times than to none.
  const levelOf = (hits, hitsMax) => {
    if (hits <= 0) return 0;
    if (hitsMax <= 1) return kLevels;
    return 1 + Math.min(kLevels - 1, Math.floor(Math.log(hits) / Math.log(hitsMax) * (kLevels - 1)
      + 0.001));
  };

  // Three figures at most: 999, 1k, 9.9k, 12k, 3M.
  const shortCount = (hits) => {
    for (const [size, letter] of [[1e9, 'G'], [1e6, 'M'], [1e3, 'k']]) {
      const count = hits / size;
      if (count < 0.9995) continue;
      return `${count.toFixed(count < 9.95 ? 1 : 0).replace(/\.0$/, '')}${letter}`;
    }
    return String(hits);
  };

  const sentenceOf = (row, column, sum) => {
    if (sum === undefined) return `${row}, ${column}: not hit, or does not exist`;
    const cells = sum.cells === 1 ? '' : `, in ${withCommas(sum.hit)} of ${counted(sum.cells, 'cell')}`;
    return `${row}, ${column}: ${sum.hits === 0 ? 'never hit' : counted(sum.hits, 'hit')}${cells}`;
  };

  const nameOfValue = (value) => value === '' ? 'none' : value;

  // Numbers by size, names by alphabet; indices into coverage.values[column].
  const orderOf = (values) => values.map((_, i) => i).sort((a, b) => {
    const [x, y] = [Number(values[a]), Number(values[b])];
    if (!Number.isNaN(x) && !Number.isNaN(y)) return x - y;
    return values[a] < values[b] ? -1 : 1;
  });

  const heatCell = (row, column, sum, hitsMax) => {
    const hits = sum?.hits ?? 0;
    const absent = sum === undefined;
    const text = sentenceOf(row, column, sum);
    return el('td', {
      class: absent ? 'absent' : `heat h${levelOf(hits, hitsMax)}`,
      tabindex: -1,
      'data-row': row,
      'data-column': column,
      'data-hits': absent ? null : hits,
      'data-text': text,
      title: text,
    }, absent ? '·' : shortCount(hits));
  };

  const heatTable = (coverage, rowAt, columnAt) => {
    const sums = pivot(coverage, rowAt, columnAt);
    const hitsMax = Math.max(1, ...[...sums.values()].map((sum) => sum.hits));
    const columns = orderOf(coverage.values[columnAt]);
    const name = (at, index) => nameOfValue(coverage.values[at][index]);
    return el('table', { class: 'heatmap', id: 'heatmap' },
      el('caption', { class: 'unseen' },
        `Hits by ${coverage.columns[rowAt]} and ${coverage.columns[columnAt]}`),
      el('thead', {}, el('tr', {},
        el('th', { scope: 'col', class: 'corner' }, coverage.columns[rowAt]),
        columns.map((column) => el('th', { scope: 'col' }, el('span', {}, name(columnAt, column)))))),
      el('tbody', {}, orderOf(coverage.values[rowAt]).map((row) =>
        el('tr', {},
          el('th', { scope: 'row' }, name(rowAt, row)),
          columns.map((column) => heatCell(name(rowAt, row), name(columnAt, column),
            sums.get(`${row} ${column}`), hitsMax))))));
  };

  // One stop of the Tab key for the whole map; arrows, Home and End move inside it.
  const walkable = (table, readout) => {
    const grid = [...table.tBodies[0].rows].map((row) => [...row.querySelectorAll('td')]);
    const steps = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] };
    let at = [0, 0];
    const tell = (cell) => { readout.textContent = cell.dataset.text; };
    const place = (y, x) => {
      grid[at[0]][at[1]].tabIndex = -1;
      at = [y, x];
      grid[y][x].tabIndex = 0;
    };
    grid[0][0].tabIndex = 0;
    table.addEventListener('keydown', (event) => {
      const step = steps[event.key];
      const last = grid[0].length - 1;
      if (step === undefined && event.key !== 'Home' && event.key !== 'End') return;
      event.preventDefault();
      if (event.key === 'Home') place(at[0], 0);
      else if (event.key === 'End') place(at[0], last);
      else {
        place(Math.min(grid.length - 1, Math.max(0, at[0] + step[0])),
          Math.min(last, Math.max(0, at[1] + step[1])));
      }
      grid[at[0]][at[1]].focus();
    });
    table.addEventListener('focusin', (event) => {
      const y = grid.findIndex((row) => row.includes(event.target));
      if (y < 0) return;
      place(y, grid[y].indexOf(event.target));
      tell(event.target);
    });
    table.addEventListener('mouseover', (event) => {
      const cell = event.target.closest('td');
      if (cell !== null) tell(cell);
    });
    table.addEventListener('click', (event) => event.target.closest('td')?.focus());
  };

  const legend = () => el('p', { class: 'legend', 'aria-hidden': 'true' },
    el('span', {}, 'never'), el('i', { class: 'heat h0' }),
    Array.from({ length: kLevels }, (_, i) => el('i', { class: `heat h${i + 1}` })),
    el('span', {}, 'often'));

  const kNeverShown = 500;

  const neverHit = (coverage) => {
    const never = coverage.rows.filter((row) => row[row.length - 1] === 0);
    if (never.length === 0) return null;
    const shown = never.slice(0, kNeverShown);
    const columns = coverage.columns.map((name, i) => ({
      title: name, cell: (row) => nameOfValue(coverage.values[i][row[i]]) }));
    return el('details', { class: 'block', id: 'never' },
      el('summary', {}, `${counted(never.length, 'cell')} never hit`),
      scrollBox('Cells never hit', tableOf('Cells never hit', columns, shown)),
      shown.length < never.length
        ? el('p', { class: 'note' }, `and ${withCommas(never.length - shown.length)} more, see coverage.json`)
        : null);
  };

  const fillCoverage = (data) => {
    const { coverage } = data;
    const place = byId('coverage');
    if (coverage.rows.length === 0 || coverage.columns.length < 2) {
      place.append(el('p', { class: 'empty' }, 'This campaign kept no coverage.'));
      return;
    }
    const has = (name, otherwise) => Math.max(coverage.columns.indexOf(name), otherwise);
    let rowAt = has('target', 0);
    let columnAt = coverage.columns.indexOf('dtype');
    if (columnAt < 0) columnAt = rowAt === 0 ? 1 : 0;
    const map = el('div', {});
    const readout = el('p', { class: 'readout', id: 'readout', 'aria-live': 'polite' });
    const draw = () => {
      readout.textContent = 'Point at a field, or walk over the map with the arrow keys.';
      const table = heatTable(coverage, rowAt, columnAt);
      walkable(table, readout);
      map.replaceChildren(el('div', { class: 'scroll' }, table));
    };
    const choices = coverage.columns.map((name, i) => [String(i), name]);
    byId('coverage-tools').append(
      selectOf('Rows', choices, String(rowAt), (value) => { rowAt = Number(value); draw(); }),
      selectOf('Columns', choices, String(columnAt), (value) => { columnAt = Number(value); draw(); }));
    place.append(el('div', { class: 'panel' }, map,
      el('div', { class: 'under' }, readout, legend())));
    const never = neverHit(coverage);
    if (never !== null) place.append(never);
    draw();
  };
