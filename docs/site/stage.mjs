// Writes DocFX's input to artifacts/docs. A page's links lead on GitHub to files and folders too, for which DocFX has no page, so:
// a linked file becomes a page with its text, a linked folder a page with its list, a README.md the index of its folder.
// The sidebar is made from docs/README.md, and the list of assemblies from the projects: neither is written down twice.
import { execFileSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';

const root = path.resolve(import.meta.dirname, '../..');
const stage = path.join(root, 'artifacts/docs');
const largestList = 20;
const languages = { cs: 'csharp', json: 'json', yml: 'yaml', yaml: 'yaml', mjs: 'javascript', sh: 'bash' };

const git = (...rest) => execFileSync('git', ['-C', root, ...rest], { encoding: 'utf8', maxBuffer: 1 << 26 });
const files = git('ls-files', '-z', '--cached', '--others', '--exclude-standard').split('\0').filter((file) => file && existsSync(path.join(root, file)));
const isFile = new Set(files);
const problems = [];

const read = (file) => readFileSync(path.join(root, file), 'utf8');
const target = (file) => {
  const result = path.join(stage, file);
  mkdirSync(path.dirname(result), { recursive: true });
  return result;
};
const write = (file, lines) => writeFileSync(target(file), `${[].concat(lines).join('\n')}\n`);

const isPicture = (file) => /\.(png|svg)$/.test(file);
const within = (folder) => files.filter((file) => file.startsWith(`${folder}/`));

// The page of a file or folder.
const pageOf = (file) => {
  if (isPicture(file)) return file;
  if (!isFile.has(file)) return `${file}/index.md`;
  return file.endsWith('.md') ? file.replace(/(^|\/)README\.md$/, '$1index.md') : `${file}.md`;
};

// Not in code. The text of a link may be a picture, so only the end of a link is looked at.
const code = /^(`{3,}).*\n[^]*?^\1`*[ \t]*$|`[^`\n]*`/m;
const link = /\]\(([^)\s#]+)(#[^)\s]*)?(?=[)\s])/g;
const outsideCode = (text, change) => {
  let result = '';
  for (let found; (found = code.exec(text)); text = text.slice(found.index + found[0].length)) {
    // Without a language the highlighter would guess one.
    result += change(text.slice(0, found.index)) + found[0].replace(/^(`{3,})\n/, '$1text\n');
  }

  return result + change(text);
};

const queue = ['README.md', ...within('docs').filter((file) => file.endsWith('.md'))];
const seen = new Set();
const visit = (file) => { if (!seen.has(file)) { seen.add(file); queue.push(file); } };
const relink = (from, text, page = pageOf(from)) => outsideCode(text, (part) => part.replace(link, (all, to, anchor = '') => {
  if (/^[a-z]+:/.test(to)) return all;
  const file = path.posix.normalize(path.posix.join(from.replace(/[^/]*$/, ''), to)).replace(/\/$/, '');
  if (!isFile.has(file) && within(file).length === 0) {
    problems.push(`${from}: ${to} is no file or folder of the repository`);
    return all;
  }
  visit(file);
  return `](${path.posix.relative(path.posix.dirname(page), pageOf(file))}${anchor}`;
}));

// Pages that are not documentation are left out of the search.
const hidden = ['---', '_noindex: true', '---'];
function writePage(file) {
  if (isPicture(file)) return copyFileSync(path.join(root, file), target(file));
  if (file.endsWith('.md')) {
    const isDocumentation = file === 'README.md' || file.startsWith('docs/');
    return write(pageOf(file), [...(isDocumentation ? [] : hidden), relink(file, read(file))]);
  }

  if (isFile.has(file)) {
    const name = path.basename(file);
    return write(pageOf(file), [...hidden, `# ${name}`, '', `\`${file}\``, '', `\`\`\`\`\`${languages[name.split('.').pop()] ?? 'text'}`, read(file), '`````']);
  }

  const folder = `${file}/README.md`;
  if (isFile.has(folder)) return visit(folder);
  const list = within(file).map((name) => [name.slice(file.length + 1), isPicture(name) || name.endsWith('.md') || within(file).length <= largestList]);
  return write(pageOf(file), [...hidden, relink(`${file}/`, [`# ${file}`, '', ...list.map(([name, isLinked]) => isLinked ? `- [${name}](${name})` : `- \`${name}\``)].join('\n'), pageOf(file))]);
}

// A heading of docs/README.md is a heading of the sidebar, each link below it an entry; sections of a page are none.
function writeSidebar() {
  const lines = ['- name: Start', '  href: ../index.md', '- name: All pages', '  href: index.md'];
  const named = new Set(['docs/README.md']);
  let depth = 0;
  for (const line of read('docs/README.md').split('\n')) {
    const heading = /^##(#?) ([^:]*)/.exec(line);
    if (heading) {
      depth = heading[1].length;
      lines.push(`${'  '.repeat(depth)}- name: ${JSON.stringify(heading[2])}`, `${'  '.repeat(depth)}  items:`);
      depth++;
    }

    for (const [, name, to] of line.matchAll(/\[([^\]]*)\]\(([^)#\s]+\.md)\)/g)) {
      const file = path.posix.normalize(`docs/${to}`);
      if (named.has(file)) continue;
      named.add(file);
      lines.push(`${'  '.repeat(depth)}- name: ${JSON.stringify(name)}`, `${'  '.repeat(depth)}  href: ${path.posix.relative('docs', pageOf(file))}`);
    }
  }

  for (const file of within('docs').filter((name) => name.endsWith('.md') && !named.has(name))) problems.push(`docs/README.md: no link to ${file}, so the sidebar lacks it`);
  write(path.posix.join('docs', 'toc.yml'), lines);
}

function writeApi() {
  const packages = files.filter((file) => /^src\/[^/]+\/[^/]+\.csproj$/.test(file) && /<IsPackable>true</.test(read(file)))
    .map((file) => path.basename(file, '.csproj')).filter((name) => name !== 'Pipeline.Generators');
  const assemblies = packages.map((name) => `${name}/bin/Release/net10.0/Quayside.${name}.dll`);
  for (const file of assemblies.filter((name) => !existsSync(path.join(root, 'src', name)))) problems.push(`src/${file} is missing: dotnet build -c Release`);
  const [, version] = /<Version>(.*)<\/Version>/.exec(read('src/Directory.Build.props'));
  write('api/index.md', ['# API reference', '', `The public types of version ${version}, by package.`, '', '| package | what it is |', '|---|---|',
    ...packages.map((name) => {
      visit(`src/${name}/README.md`);
      const [, firstParagraph] = read(`src/${name}/README.md`).split(/\n\s*\n/);
      return `| [Quayside.${name}](../src/${name}/index.md) | ${firstParagraph.replaceAll('\n', ' ').replace(/(?<=\.) .*/, '')} |`;
    })]);
  const config = JSON.parse(readFileSync(path.join(import.meta.dirname, 'docfx.json'), 'utf8'));
  config.metadata[0].src = [{ src: '../../src', files: assemblies }];
  config.build.globalMetadata._appName = `Worker ${version}`;
  config.build.globalMetadata._appFooter = `Worker ${version}, commit ${git('rev-parse', '--short', 'HEAD').trim()}`;
  write('docfx.json', JSON.stringify(config, null, 2));
}

rmSync(stage, { recursive: true, force: true });
queue.forEach((file) => seen.add(file));
writeSidebar();
writeApi();
write('toc.yml', ['- name: Documentation', '  href: docs/', '- name: API reference', '  href: api/', '  homepage: api/index.md']);
for (let file; (file = queue.pop());) writePage(file);
for (const problem of problems) console.error(problem);
process.exitCode = problems.length === 0 ? 0 : 1;
