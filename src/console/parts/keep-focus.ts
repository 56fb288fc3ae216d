/** What may take the focus: the nearest of these around what had it. */
const places = '[role=dialog], form, section, main'

/** So long is waited for what gives the focus back by itself, as a dialog that closes, in milliseconds. */
const patienceMs = 50

/**
 * Keeps the focus near where it was when what has it is taken out of the page, as a form that is sent, or rests
 * while its work is done, as a button: else people without a mouse, or without sight, would begin at the top of the
 * page again. Returns what ends it.
 */
export function keepFocus(): () => void {
  let around: readonly HTMLElement[] = []
  let waiting: ReturnType<typeof setTimeout> | undefined
  /** What had the focus when it was disabled. */
  let resting: HTMLElement | undefined
  const note = ({ target }: FocusEvent) => {
    around = []
    resting = undefined
    for (let one = target; one instanceof HTMLElement; one = one.parentElement) {
      around = [...around, one]
    }
  }
  const isNowhere = () => document.activeElement === document.body
  const isLost = () => around[0]?.isConnected === false && isNowhere()
  const look = () => {
    if (!isLost()) return
    const near = around.find((one) => one.isConnected && one.matches(places))
    const place = near ?? document.querySelector('main')
    if (!place) return
    if (!place.hasAttribute('tabindex')) place.tabIndex = -1
    place.focus({ preventScroll: true })
  }
  const giveBack = () => {
    const [last] = around
    if (last?.matches(':disabled')) resting = last
    else if (resting !== undefined) {
      if (isNowhere()) resting.focus({ preventScroll: true })
      resting = undefined
    }
  }
  const observer = new MutationObserver(() => {
    giveBack()
    if (!isLost()) return
    clearTimeout(waiting)
    waiting = setTimeout(look, patienceMs)
  })
  observer.observe(document.body, { childList: true, subtree: true, attributeFilter: ['disabled'] })
  document.addEventListener('focusin', note)
  return () => {
    observer.disconnect()
    clearTimeout(waiting)
    document.removeEventListener('focusin', note)
  }
}
