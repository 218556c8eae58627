// The report as a person meets it, from file:// in headless Chromium: its numbers, a cell of the heat
// map, a copied command, the keyboard alone, light and dark, desktop and phone. Screenshots are kept.
//
//   node page_test.cjs BROWSER FOLDER    (of page_test.sh)
'use strict';
const assert = require('node:assert/strict');
const fs = require('node:fs');
const path = require('node:path');
const { pathToFileURL } = require('node:url');
const { chromium } = require('playwright-core');

const [browserPath, folder] = process.argv.slice(2);
const sizes = { desktop: { width: 1280, height: 900 }, phone: { width: 390, height: 844 } };

const textOf = (page, selector) => page.locator(selector).innerText();

// Opens `name`/report.html; anything that the page asks the network for, or complains about, is kept.
const open = async (context, name) => {
  const page = await context.newPage();
  const complaints = [];
  page.on('pageerror', (error) => complaints.push(`error: ${error.message}`));
  page.on('console', (message) => {
    if (message.type() === 'error') complaints.push(message.text());
  });
  page.on('request', (request) => {
    if (!/^(file|data|blob):/.test(request.url())) complaints.push(`asked for ${request.url()}`);
  });
  await page.goto(pathToFileURL(path.join(folder, name, 'report.html')).href);
  await page.waitForSelector('html[data-ready=yes]');
  return { page, complaints };
};

const tests = {
  async 'the numbers of the campaign stand at the top'({ page }) {
    assert.equal(await textOf(page, '#title'), 'soak');
    assert.equal(await textOf(page, '#value-cases'), '18,576,000');
    assert.equal(await textOf(page, '#value-rate'), '215');
    assert.equal(await textOf(page, '#value-findings'), '2');
    assert.equal(await textOf(page, '#value-time'), '1 d');
    assert.match(await textOf(page, '#value-coverage'), /^9\d\.\d %$/);
    assert.match(await textOf(page, '#status'), /2 open findings[\s\S]*ended: time is up/);
  },

  async 'a cell of the heat map tells its hits, and zero as never'({ page }) {
    const data = JSON.parse(fs.readFileSync(path.join(folder, 'soak', 'coverage.json'), 'utf8'));
    const expected = data.cells
      .filter((cell) => cell.target === 'allgather/ring' && cell.dtype === 'bf16')
      .reduce((sum, cell) => sum + cell.hits, 0);
    const cell = page.locator('#heatmap td[data-row="allgather/ring"][data-column="bf16"]');
    assert.equal(Number(await cell.getAttribute('data-hits')), expected);
    await cell.hover();
    const said = await textOf(page, '#readout');
    assert.match(said, new RegExp(`^allgather/ring, bf16: ${expected.toLocaleString('en')} hits`));
    const never = page.locator('#heatmap td[data-row="allgather/ring"][data-column="int8"]');
    assert.equal(await never.innerText(), '0');
    const absent = page.locator(
      '#heatmap td[data-row="allreduce/two_stage_tail"][data-column="int8"]');
    assert.equal(await absent.innerText(), '·');
  },

  async 'the heat map takes other dimensions'({ page }) {
    await page.getByLabel('Columns').selectOption({ label: 'world' });
    const heads = await page.locator('#heatmap thead th').allInnerTexts();
    assert.deepEqual(heads, ['target', '2', '3', '4', '6', '8']);
    await page.getByLabel('Columns').selectOption({ label: 'dtype' });
  },

  async 'arrow keys walk over the heat map'({ page }) {
    await page.locator('#heatmap td[tabindex="0"]').focus();
    await page.keyboard.press('Home');
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('ArrowDown');
    const at = await page.evaluate(() => document.activeElement.dataset);
    const text = await textOf(page, '#readout');
    assert.equal(text, at.text);
    assert.equal(await page.locator('#heatmap td[tabindex="0"]').count(), 1);
  },

  async 'a replay command is copied as it stands'({ page }) {
    const first = page.locator('details.finding').first();
    assert.equal(await first.getAttribute('open'), '');
    const shown = await first.locator('.command-line code').first().innerText();
    assert.match(shown, /^rankle replay \/.*\/soak\/findings\/barrier-divergence-.*\/case\.json$/);
    await first.getByRole('button', { name: 'Copy the replay command' }).click();
    await page.waitForFunction(() => document.getElementById('said').textContent !== '');
    assert.equal(await textOf(page, '#said'), 'Copied the replay command');
    const search = page.getByLabel('Search');
    await search.focus();
    await page.keyboard.press('Control+V');
    assert.equal(await search.inputValue(), shown);
    await search.fill('');
  },

  async 'a finding explains itself and gives its file'({ page }) {
    const first = page.locator('details.finding').first();
    assert.match(await first.innerText(), /kernels\/allreduce\/scripted\.cu:71/);
    assert.match(await first.innerText(), /4 ranks, bf16/);
    assert.match(await first.innerText(), /374,530 cases · seen 23 times/);
    const [file] = await Promise.all([page.waitForEvent('download'),
      first.getByRole('button', { name: 'Save the repro file' }).click()]);
    const saved = path.join(folder, 'saved.json');
    await file.saveAs(saved);
    const stem = await first.getAttribute('id');
    assert.equal(fs.readFileSync(saved, 'utf8'),
      fs.readFileSync(path.join(folder, 'soak', 'findings', stem, 'case.json'), 'utf8'));
  },

  async 'findings open from the keyboard and filter by state'({ page }) {
    const second = page.locator('details.finding').nth(1);
    await second.locator('summary').first().focus();
    await page.keyboard.press('Enter');
    assert.equal(await second.getAttribute('open'), '');
    await page.getByLabel('Show').selectOption('fixed');
    assert.equal(await page.locator('details.finding:visible').count(), 1);
    await page.getByLabel('Show').selectOption('all');
    await page.getByLabel('Search').fill('data-race');
    assert.equal(await page.locator('details.finding:visible').count(), 1);
    await page.getByLabel('Search').fill('');
  },

  async 'hostile text stays text'({ page }) {
    for (const summary of await page.locator("details.finding > summary").all()) {
      await summary.click();
    }
    assert.equal(await page.evaluate(() => window.pwned), undefined);
    assert.equal(await page.locator('img').count(), 0);
    assert.match(await textOf(page, '#findings-list'), /<\/script><script>window\.pwned=1/);
  },

  async 'curves are drawn, and stand in a table too'({ page }) {
    assert.equal(await page.locator('.chart canvas').count(), 4);
    const drawn = await page.locator('.chart canvas').first().evaluate((canvas) =>
      canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data
        .some((value) => value !== 0));
    assert.ok(drawn, 'the canvas is empty');
    assert.equal(await page.locator('#series-table tbody tr').count(), 24);
    assert.match(await page.locator('.chart .canvas').nth(1).getAttribute('aria-label'),
      /^Findings: 4 at the end/);
  },

  async 'planted bugs and events have their tables'({ page }) {
    assert.match(await textOf(page, '#mutants'), /2 of 3 planted bugs found/);
    assert.match(await textOf(page, '#notes'), /worker[\s\S]*SIGSEGV/);
    assert.match(await textOf(page, '#problems'), /torn\/case\.json/);
  },

  async 'everything that can be used has a name and a place in the order of tabs'({ page }) {
    const nameless = await page.evaluate(() =>
      [...document.querySelectorAll('button, select, input, [role=region], [role=img]')]
        .filter((node) => !(node.labels?.length > 0 || node.getAttribute('aria-label') !== null ||
          node.textContent.trim() !== ''))
        .map((node) => node.outerHTML));
    assert.deepEqual(nameless, []);
    const negative = await page.locator('[tabindex="-1"]:not(td)').count();
    assert.equal(negative, 0);
  },
};

// Ink on ground, WCAG 2: at least 4.5 for text.
const contrasts = (page) => page.evaluate(() => {
  const rgb = (text) => text.match(/[\d.]+/g).slice(0, 3).map(Number);
  const light = (colour) => {
    const [r, g, b] = rgb(colour).map((value) => {
      const share = value / 255;
      return share <= 0.03928 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const groundOf = (node) => {
    for (let at = node; at !== null; at = at.parentElement) {
      const colour = getComputedStyle(at).backgroundColor;
      if (!/rgba\(.*, 0\)|transparent/.test(colour)) return colour;
    }
    return 'rgb(255, 255, 255)';
  };
  const poor = [];
  for (const selector of ['.pill', '.card-note', '.card-value', '.seen', '.target', '.copy',
    '.heat', '.legend span', '.facts dt', 'figcaption', '.foot p', '.notice p', '.kind']) {
    for (const node of document.querySelectorAll(selector)) {
      if (node.tagName === 'I' || node.classList.contains('h0')) continue;
      const [a, b] = [light(getComputedStyle(node).color), light(groundOf(node))];
      const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
      if (ratio < 4.5) poor.push(`${selector} ${node.className}: ${ratio.toFixed(2)}`);
    }
  }
  return [...new Set(poor)];
});

const screenshots = async (browser) => {
  for (const [size, viewport] of Object.entries(sizes)) {
    for (const colorScheme of ['light', 'dark']) {
      const context = await browser.newContext({ viewport, colorScheme });
      const { page, complaints } = await open(context, 'soak');
      await page.screenshot({ path: path.join(folder, `report-${size}-${colorScheme}.png`),
        fullPage: true });
      const width = await page.evaluate(() => document.documentElement.scrollWidth);
      assert.ok(width <= viewport.width, `${size}: the page is ${width} wide, and scrolls sideways`);
      assert.deepEqual(await contrasts(page), [], `${colorScheme}: poor contrast`);
      assert.deepEqual(complaints, []);
      await context.close();
    }
  }
};

const freshCampaign = async (browser) => {
  const context = await browser.newContext();
  const { page, complaints } = await open(context, 'fresh');
  assert.equal(await textOf(page, '#value-cases'), '0');
  assert.match(await textOf(page, '#findings-list'), /No finding in this campaign/);
  assert.deepEqual(complaints, []);
  await context.close();
};

// What a build without npm writes: the same page without the library.
const withoutCharts = async (browser) => {
  const report = path.join(folder, 'soak', 'report.html');
  const page = fs.readFileSync(report, 'utf8').split('<script>');
  assert.equal(page.length, 3, 'library and script of the page');
  page[1] = page[1].replace(/[\s\S]*<\/script>/, '</script>');
  fs.mkdirSync(path.join(folder, 'plain'));
  fs.writeFileSync(path.join(folder, 'plain', 'report.html'), page.join('<script>'));
  const context = await browser.newContext();
  const opened = await open(context, 'plain');
  assert.equal(await opened.page.locator('canvas').count(), 0);
  assert.equal(await opened.page.locator('#series-table').getAttribute('open'), '');
  assert.deepEqual(opened.complaints, []);
  await context.close();
};

const main = async () => {
  const browser = await chromium.launch({ executablePath: browserPath,
    args: ['--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage'] });
  const context = await browser.newContext({ viewport: sizes.desktop, acceptDownloads: true });
  const opened = await open(context, 'soak');
  tests['a campaign that has just begun has a page'] = () => freshCampaign(browser);
  tests['without the library there are tables'] = () => withoutCharts(browser);
  tests['it looks right: light and dark, desktop and phone'] = () => screenshots(browser);
  let failed = 0;
  for (const [name, test] of Object.entries(tests)) {
    try {
      await test(opened);
      console.log(`ok: ${name}`);
    } catch (error) {
      failed += 1;
      console.log(`FAILED: ${name}\n${error.stack}`);
    }
  }
  if (opened.complaints.length > 0) {
    failed += 1;
    console.log(`FAILED: the page complained:\n${opened.complaints.join('\n')}`);
  }
  await browser.close();
  console.log(`${Object.keys(tests).length - failed} passed, ${failed} failed; pictures in ${folder}`);
  process.exitCode = failed === 0 ? 0 : 1;
};

main();
