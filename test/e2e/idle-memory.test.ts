import { test } from 'bun:test'
import { startBinary } from '../support/binary.ts'
import { tollgateYaml } from '../support/tollgate-yaml.ts'
import { until } from './until.ts'

const mebibyte = 1024 * 1024

test('a gateway that has nothing to do takes at most 90 MB', async () => {
  await using gateway = await startBinary({
    config: (listen) => tollgateYaml({ listen, upstream: 'http://127.0.0.1:9' }),
  })
  // What is built after the start is built by then.
  await Bun.sleep(2000)
  // On a busy machine the garbage of the start is collected later.
  await until('its memory', () => gateway.residentBytes() / mebibyte < 90, 10_000)
})
