import { expect, test } from 'bun:test'
import { deviceOf } from '../../../../src/console/pages/profile/device.ts'

const webkit = 'AppleWebKit/537.36 (KHTML, like Gecko)'

test.each([
  [`Mozilla/5.0 (X11; Linux x86_64) ${webkit} Chrome/156.0.0.0 Safari/537.36`, 'Chrome · Linux'],
  [`Mozilla/5.0 (Windows NT 10.0) ${webkit} Chrome/156.0 Edg/156.0`, 'Edge · Windows'],
  [
    `Mozilla/5.0 (iPhone; CPU iPhone OS 19_0 like Mac OS X) ${webkit} Safari/604.1`,
    'Safari · iPhone',
  ],
  [
    `Mozilla/5.0 (Linux; Android 16) ${webkit} Mobile Chrome/156.0 MicroMessenger/8`,
    'WeChat · Android',
  ],
  ['curl/8.9.1', undefined],
])('%s is called as people call it', (userAgent, name) => {
  expect(deviceOf(userAgent)).toBe(name)
})
