import { ReleaseError } from './release.ts'

/**
 * Throws unless CHANGELOG.md has a section of the version, `## [1.2.3] - 2026-11-27`, that says something. A pre-release
 * is made of what is not released yet.
 */
export function checkChangelog(version: string, text: string): void {
  const [release = version] = version.split('-')
  const headings = version === release ? [dated(release)] : [dated(release), /^## \[Unreleased\]$/]
  const sections = text.split(/^(?=## )/m).map((section) => section.split('\n'))
  const found = sections.find(([first = '']) => headings.some((heading) => heading.test(first)))
  if (found === undefined)
    throw new ReleaseError(
      `CHANGELOG.md has no section of ${version}: put "## [${release}] - YYYY-MM-DD" below "## [Unreleased]", and commit it`,
    )
  if (found.slice(1).every((line) => line.trim() === '' || line.startsWith('#')))
    throw new ReleaseError(
      `CHANGELOG.md says nothing below "${found[0]}": write there what operators notice, and commit it`,
    )
}

const dated = (version: string) =>
  new RegExp(`^## \\[${RegExp.escape(version)}\\] - \\d{4}-\\d\\d-\\d\\d$`)
