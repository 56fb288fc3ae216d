import { createLineSink } from '../../src/lib/line-sink.ts'

// Writes many lines, as a process of a group does. Arguments: a word, and how often.

const [, , word = '', times = '0'] = process.argv
const sink = createLineSink(process.stdout, { isShared: true })
const line = JSON.stringify({ text: word.repeat(900) })
let left = Number(times)
const timer = setInterval(() => {
  for (let lines = 0; lines < 50; lines++) sink.write(line)
  if (--left > 0) return
  clearInterval(timer)
  void sink.flush(60_000)
}, 1)
