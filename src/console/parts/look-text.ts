import { bilingual } from '../lib/language.ts'

/** Words of the choices of language and appearance. */
export const lookText = bilingual({
  language: ['Language', '语言'],
  scheme: ['Appearance', '外观'],
  light: ['Light', '浅色'],
  dark: ['Dark', '深色'],
  auto: ['System', '跟随系统'],
})
