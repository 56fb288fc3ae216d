import { expect, test } from 'bun:test'
import { validateChannel, valuesOf } from '../../../../src/console/pages/channels/channel-fields.ts'
import { channelText } from '../../../../src/console/pages/channels/text.ts'

const filled = {
  ...valuesOf(undefined),
  ...{ name: 'main', models: 'm' },
  speaks: { chat: 'https://api.example.com/v1', responses: '', messages: '', gemini: '' },
}

test.each([
  ['a new channel without one', 0, [], '', false],
  ['a new channel with one', 0, [], 'sk-a', true],
  ['one of two is taken away', 2, ['a'], '', true],
  ['all are taken away', 2, ['a', 'b'], '', false],
  ['all are replaced', 2, ['a', 'b'], 'sk-c', true],
])('a channel keeps one key at least: %s', (_, keyCount, remove_keys, keys, isRight) => {
  const faults = validateChannel(channelText.en, keyCount)({ ...filled, remove_keys, keys })
  expect(Object.keys(faults)).toEqual(isRight ? [] : ['keys'])
})
