const browsers: readonly (readonly [RegExp, string])[] = [
  [/\bEdg/, 'Edge'],
  [/\bOPR\//, 'Opera'],
  [/MicroMessenger/, 'WeChat'],
  [/Firefox|FxiOS/, 'Firefox'],
  [/Chrome|CriOS|Chromium/, 'Chrome'],
  [/Safari/, 'Safari'],
]

const systems: readonly (readonly [RegExp, string])[] = [
  [/iPhone/, 'iPhone'],
  [/iPad/, 'iPad'],
  [/Android/, 'Android'],
  [/Windows/, 'Windows'],
  [/Macintosh|Mac OS/, 'macOS'],
  [/CrOS/, 'ChromeOS'],
  [/Linux/, 'Linux'],
]

/** A browser and its system, as people call them: `Firefox · Windows`; undefined: unknown words. */
export function deviceOf(userAgent: string): string | undefined {
  const find = (names: typeof browsers) => names.find(([word]) => word.test(userAgent))?.[1]
  const browser = find(browsers)
  const system = find(systems)
  return browser && system && `${browser} · ${system}`
}
