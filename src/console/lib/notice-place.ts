/** Where a notice stands in the window. */
export type Place = 'bottom-right' | 'top-center' | 'bottom-center'

/** Windows up to this width, in pixels, have no corner that is free: a notice is as wide as they are. */
const narrow = 768

/**
 * A corner in a wide window. In a narrow one under the header, as what is written in stands at the bottom; but not
 * over what was just pressed, whose distance from the top is `pressedAt`; undefined: it is gone.
 */
export function placeOf(
  window: { readonly width: number; readonly height: number },
  pressedAt: number | undefined,
): Place {
  if (window.width > narrow) return 'bottom-right'
  return pressedAt !== undefined && pressedAt < window.height / 2 ? 'bottom-center' : 'top-center'
}
