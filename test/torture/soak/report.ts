import type { SoakReport } from './run.ts'

const shownFaults = 40

/** A report in lines for a person. */
export function describeSoak(report: SoakReport): string[] {
  const { seed, harvest, changes, wentWrong, level, fds, faults } = report
  return [
    `Seed ${seed}. ${harvest.asked} asked: ${harvest.received.length} received whole; ` +
      listCounts(harvest.others),
    `Upstreams: ${listCounts(wentWrong)}`,
    `Changes: ${listCounts(changes)}`,
    `Memory: ${level.middleMb.toFixed(1)} MB in the middle third, ${level.lastMb.toFixed(1)} in the ` +
      `last, ${level.highestMb.toFixed(1)} at most; ${level.slope.toFixed(2)} MB a minute`,
    `Descriptors: ${fds[0]} before, ${fds[1]} after`,
    ...(faults.length === 0 ? ['Nothing wrong.'] : faults.slice(0, shownFaults)),
    ...(faults.length > shownFaults ? [`… and ${faults.length - shownFaults} more`] : []),
  ]
}

function listCounts(counts: ReadonlyMap<string, number>): string {
  const sorted = [...counts].toSorted(([, a], [, b]) => b - a)
  return sorted.map(([name, count]) => `${count} ${name}`).join(', ') || 'none'
}
