import { expect, test } from 'bun:test'
import { dialects } from '../e2e/dialects.ts'
import { createScene } from './relay-scene.ts'

// Lines may end in CR and LF, and a chunk between the two: the frame is whole, and goes out.

const { gemini } = dialects

test('an error behind half of a line end completes it: clients look for both', async () => {
  using scene = await createScene({ dialect: gemini })
  const piece = gemini.piece('Hello')
  expect(piece).toEndWith('\r\n\r\n')
  scene.send(piece.slice(0, -1))
  scene.end()
  const text = await scene.readAll()
  const events = text.split('\r\n\r\n').filter((event) => event.trim() !== '')
  expect(events.length).toBe(3)
  expect(events[1]?.trim()).toBe(piece.trim())
  expect(events[2]?.trim()).toStartWith('data: {"error":')
})
