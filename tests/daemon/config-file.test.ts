// config.toml on disk: what is read, how mistakes are reported, and what a change does.

import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { renderConfig } from '../../scripts/config-docs.ts';
import { checkConfig } from '../../src/config/config-check.ts';
import {
  ConfigFile,
  type ConfigReload,
  configToml,
  defaultConfigToml,
  loadConfigFile,
} from '../../src/config/config-file.ts';
import { configSections, defaultText, withoutSecrets } from '../../src/config/config-keys.ts';
import { parseDuration } from '../../src/platform/text/duration.ts';
import { defaultConfig, defaultEngineConfig } from '../../src/schema/config.ts';

function makeFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'agtmux-config-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

function fileWith(text: string): string {
  const path = join(makeFolder(), 'config.toml');
  writeFileSync(path, text, { mode: 0o600 });
  return path;
}

function problemsOf(text: string) {
  const path = fileWith(text);
  const loaded = loadConfigFile(path);
  if (loaded.ok) throw new Error('expected problems');
  expect(loaded.problems.every((problem) => problem.file === path)).toBe(true);
  return loaded.problems.map(({ line, key, message }) => [line, key, message]);
}

describe('a config.toml', () => {
  it('that is absent gives every default', () => {
    const loaded = loadConfigFile(join(makeFolder(), 'config.toml'));
    expect(loaded).toEqual({ ok: true, config: defaultConfig, warnings: [] });
    expect(defaultConfig.engine).toEqual(defaultEngineConfig);
  });

  it('takes durations as numbers and as text, in sections, dotted keys and inline tables', () => {
    const loaded = loadConfigFile(
      fileWith(
        [
          'engine.stale_signal = "45s"',
          'retention = { payload_days = 3 }',
          '[tmux]',
          'sweep = 250',
          'tap = "never"',
          'sockets = ["/tmp/a", "/tmp/b"]',
        ].join('\n'),
      ),
    );
    if (!loaded.ok) throw new Error(JSON.stringify(loaded.problems));
    expect(loaded.config.engine.staleSignalMs).toBe(45_000);
    expect(loaded.config.engine.settleMs).toBe(defaultEngineConfig.settleMs);
    expect(loaded.config.retention).toEqual({ payloadDays: 3, eventDays: 14 });
    expect(loaded.config.tmux).toMatchObject({ sweepMs: 250, tap: 'never' });
    expect(loaded.config.tmux.sockets).toEqual(['/tmp/a', '/tmp/b']);
  });

  it('that others may write is read with a warning', () => {
    const path = fileWith('');
    chmodSync(path, 0o666);
    const loaded = loadConfigFile(path);
    expect(loaded.ok && loaded.warnings).toEqual([expect.stringContaining('chmod go-w')]);
  });

  it.each([
    ['broken TOML', '[tmux]\ntap = "agents"\nsweep = = 3\n', 3, '', /column 9/],
    ['an unknown key', '\n[engine]\nstale_singal = 3\n', 3, 'engine.stale_singal', /stale_signal/],
    ['an unknown section', '# x\n[tmuxx]\ntap = "never"\n', 2, 'tmuxx', /did you mean "tmux"/],
    ['a section without a like', '[zzzzzzzzz]\n', 1, 'zzzzzzzzz', /^unknown section$/],
    ['a key outside its section', 'tap = "never"\n', 1, 'tap', /unknown section/],
    ['a wrong word', '[tmux]\n\ntap = "always"\n', 3, 'tmux.tap', /never/],
    ['a wrong type', '[retention]\npayload_days = "7"\n', 2, 'retention.payload_days', /number/],
    ['zero', '[limits]\n open_alerts_max = 0', 2, 'limits.open_alerts_max', />0/],
    ['a fraction of a millisecond', '[tmux]\nsweep = "0.5ms"', 2, 'tmux.sweep', /int/],
    ['no duration', '[engine]\n"settle" = "soon"', 2, 'engine.settle', /30s/],
    ['no section', 'engine = 3', 1, 'engine', /write \[engine\]/],
    ['an inline table', 'a = 1\nengine = { settle = -1 }', 2, 'engine.settle', />0/],
    ['a wrong item', '[tmux]\nsockets = [\n"a",\n3]', 2, 'tmux.sockets', /string/],
    ['no hours', '[notify]\nquiet_hours = ["22-7"]', 2, 'notify.quiet_hours', /22:00-07:00/],
    ['no such channel', '[notify]\nchannels = ["x"]', 2, 'notify.channels', /called "x"/],
    [
      'an unknown key of a named table',
      '[notify.webhook.phone]\nurl = "x"\nurk = "y"',
      3,
      'notify.webhook.phone.urk',
      /did you mean "url"/,
    ],
    [
      'a wrong word in a named table',
      '[notify]\n[notify.webhook.a]\nurl = "x"\n[notify.webhook.b]\npreset = "x"',
      5,
      'notify.webhook.b.preset',
      /ntfy/,
    ],
    [
      'a named table without what it needs',
      '[notify.command.log]\nkinds = []\n',
      1,
      'notify.command.log.run',
      /needed/,
    ],
    [
      'a name that is not allowed',
      '[notify.webhook."My Phone"]\nurl = "x"',
      1,
      'notify.webhook.My Phone',
      /lower-case/,
    ],
  ])('with %s is refused, with line and key', (_what, text, line, key, message) => {
    const problems = problemsOf(text);
    expect(problems).toContainEqual([line, key, expect.stringMatching(message)]);
  });

  it('has all its mistakes reported at once, in the order of lines', () => {
    const lines = problemsOf('[tmux]\nsweep = "x"\ntap = 1\nnothing = 2\n').map(([line]) => line);
    expect(lines).toEqual([2, 3, 4]);
  });

  it('that is a folder or far too large is refused', () => {
    const loaded = loadConfigFile(makeFolder());
    expect(loaded).toMatchObject({ ok: false, problems: [{ line: 1, message: 'is not a file' }] });
    expect(problemsOf(' '.repeat(1_000_001))).toEqual([[1, '', expect.stringContaining('larger')]]);
  });

  it('is never believed to be good when it holds rubbish, and never throws', () => {
    for (const text of ['\0\u0001', '[engine', '[[engine]]\nsettle=1', '"__proto__" = 1', 'é=']) {
      expect(loadConfigFile(fileWith(text)).ok).toBe(false);
    }
  });
});

it('any text at all is either valid or reported as problems, each on a line of the file', () => {
  const fragment = fc.constantFrom('[engine]', 'settle', ' = ', '"5s"', '\n', '{', '.', '3', "'''");
  const text = fc.oneof(
    fc.string(),
    fc.array(fragment).map((parts) => parts.join('')),
  );
  fc.assert(
    fc.property(text, (each) => {
      const checked = checkConfig('config.toml', each);
      if (checked.ok) return;
      expect(checked.problems.length).toBeGreaterThan(0);
      const lines = each.split('\n').length;
      for (const { line } of checked.problems) {
        expect(line).toBeGreaterThanOrEqual(1);
        expect(line).toBeLessThanOrEqual(lines);
      }
    }),
    { numRuns: 2_000 },
  );
});

describe('the default file and the reference', () => {
  it('the default file is good as it is, and with every comment sign removed', () => {
    expect(loadConfigFile(fileWith(defaultConfigToml()))).toMatchObject({ ok: true });
    const uncommented = defaultConfigToml().replaceAll(/^#(?! )/gm, '');
    expect(loadConfigFile(fileWith(uncommented))).toEqual({
      ok: true,
      config: defaultConfig,
      warnings: [],
    });
  });

  it('what is in force can be printed as a file that sets the same', () => {
    const config = { ...defaultConfig, tmux: { ...defaultConfig.tmux, sockets: ['a"b\\c'] } };
    expect(loadConfigFile(fileWith(configToml(config)))).toMatchObject({ ok: true, config });
  });

  it('what is in force may be shown without the secrets that it holds', () => {
    const checked = checkConfig(
      'config.toml',
      [
        '[notify.webhook.phone]',
        'preset = "ntfy"',
        'url = "https://ntfy.example/topic-4711"',
        'token = "file:~/token"',
        'secret = "s3cret-key"',
        '[notify.command.log]',
        'run = ["logger"]',
      ].join('\n'),
    );
    if (!checked.ok) throw new Error(JSON.stringify(checked.problems));
    expect(loadConfigFile(fileWith(configToml(checked.config)))).toEqual({
      ...checked,
      warnings: [],
    });
    const shown = configToml(withoutSecrets(checked.config));
    expect(shown).not.toMatch(/4711|s3cret/);
    expect(shown).toContain('[notify.webhook.phone]\npreset = "ntfy"\nurl = "(hidden)"\n');
    expect(shown).toContain('token = "file:~/token"');
    expect(shown).toContain('[notify.command.log]\nrun = ["logger"]');
  });

  it('the reference names every key with its default and says what it means', () => {
    const page = renderConfig();
    const keys = configSections.flatMap((section) =>
      section.keys.flatMap((key) => [key, ...(key.tableKeys ?? [])]),
    );
    expect(keys.length).toBeGreaterThan(40);
    for (const key of keys) {
      expect(key.description).toMatch(/\.$/);
      expect(page).toContain(`| \`${key.key}\` | \`${defaultText(key)}\` | ${key.description} |`);
    }
  });

  it.each([
    ['200ms', 200],
    ['1.5h', 5_400_000],
    ['2 d', 172_800_000],
    ['5', null],
    ['-5s', null],
    ['s', null],
  ])('%s is %s milliseconds', (text, durationMs) => {
    expect(parseDuration(text)).toBe(durationMs);
  });
});

describe('ConfigFile', () => {
  function watched(path: string) {
    const reloads: ConfigReload[] = [];
    const file = new ConfigFile(path, (reload) => reloads.push(reload));
    onTestFinished(() => file[Symbol.dispose]());
    return { file, reloads };
  }
  const until = (check: () => void) => vi.waitFor(check, { timeout: 10_000, interval: 20 });

  it('follows changes, and keeps the last good content while the file is broken', async () => {
    const path = fileWith('[tmux]\nsweep = 100\n');
    const { file, reloads } = watched(path);
    expect(file.config.tmux.sweepMs).toBe(100);
    writeFileSync(path, '[tmux]\nsweep = 300\n');
    await until(() => expect(file.config.tmux.sweepMs).toBe(300));
    writeFileSync(path, '[tmux]\nsweep = \n');
    await until(() => expect(file.problems).toMatchObject([{ line: 2 }]));
    expect(file.config.tmux.sweepMs).toBe(300);
    // The way editors save: a new file under the same name.
    writeFileSync(`${path}.new`, '[tmux]\nsweep = 400\n');
    renameSync(`${path}.new`, path);
    await until(() => expect(file.config.tmux.sweepMs).toBe(400));
    expect(file.problems).toEqual([]);
    rmSync(path);
    await until(() => expect(file.config).toEqual(defaultConfig));
    expect(reloads.at(-1)).toMatchObject({ problems: [] });
  });

  it('notices a file in a folder that did not exist at the start', async () => {
    const folder = join(makeFolder(), 'agtmux');
    const { file } = watched(join(folder, 'config.toml'));
    expect(file.config).toEqual(defaultConfig);
    mkdirSync(folder);
    writeFileSync(join(folder, 'config.toml'), '[tmux]\nsweep = 500\n');
    await until(() => expect(file.config.tmux.sweepMs).toBe(500));
    writeFileSync(join(folder, 'config.toml'), '[tmux]\nsweep = 600\n');
    await until(() => expect(file.config.tmux.sweepMs).toBe(600));
  });

  it('notices a file whose folder, with all above it, is made and removed twice', async () => {
    const base = join(makeFolder(), '.config');
    const folder = join(base, 'agtmux');
    const { file } = watched(join(folder, 'config.toml'));
    for (const sweepMs of [500, 600]) {
      mkdirSync(folder, { recursive: true });
      writeFileSync(join(folder, 'config.toml'), `[tmux]\nsweep = ${sweepMs}\n`);
      await until(() => expect(file.config.tmux.sweepMs).toBe(sweepMs));
      rmSync(base, { recursive: true });
      await until(() => expect(file.config).toEqual(defaultConfig));
    }
  });

  it('follows a link to the file that is edited', async () => {
    const real = fileWith('[tmux]\nsweep = 100\n');
    const link = join(makeFolder(), 'config.toml');
    symlinkSync(real, link);
    const { file } = watched(link);
    writeFileSync(real, '[tmux]\nsweep = 700\n');
    await until(() => expect(file.config.tmux.sweepMs).toBe(700));
    const other = fileWith('[tmux]\nsweep = 800\n');
    rmSync(link);
    symlinkSync(other, link);
    await until(() => expect(file.config.tmux.sweepMs).toBe(800));
    writeFileSync(other, '[tmux]\nsweep = 900\n');
    await until(() => expect(file.config.tmux.sweepMs).toBe(900));
  });

  it('reads again at once when asked', () => {
    const path = fileWith('');
    const { file, reloads } = watched(path);
    writeFileSync(path, '[log]\nlevel = "debug"\n');
    expect(file.reload().config.log.level).toBe('debug');
    expect(reloads).toHaveLength(1);
  });
});
