import type { Tally } from './clients.ts'
import { type Crowd, describeTimes } from './run.ts'

/** What became of a crowd, in lines. */
export function describeCrowd(crowd: Crowd): readonly string[] {
  const { isAlive, kills, peakBytes, alone, beside } = crowd
  return [
    isAlive && kills === 0 ? 'alive' : `NOT alive: ${kills} killed for want of memory`,
    `peak of the container: ${Math.round(peakBytes / 1_048_576)} MiB`,
    `small requests: ${words(crowd.small)}`,
    `streams: ${words(crowd.streams)}`,
    `large bodies: ${words(crowd.bodies)}`,
    `slow readers: ${words(crowd.slowReaders)}`,
    `alone: ${describeTimes(alone)}`,
    `beside the crowd: ${describeTimes(beside)}`,
  ]
}

const words = (tally: Tally) =>
  [...tally].map(([what, times]) => `${times} × ${what}`).join(', ') || 'none'

/** What must not be: an end of the process, or an answer that is neither good nor a refusal in words. */
export function faultsOf(crowd: Crowd): readonly string[] {
  const { isAlive, kills } = crowd
  const good = /^200$|^429 overloaded$|^413 body_too_large$/
  const odd = (['small', 'streams', 'bodies', 'slowReaders'] as const).flatMap((name) =>
    [...crowd[name]]
      .filter(([what]) => !good.test(what) || (name === 'small' && what !== '200'))
      .map(([what, times]) => `${name}: ${times} × ${what}`),
  )
  return isAlive && kills === 0 ? odd : ['the process was ended', ...odd]
}
