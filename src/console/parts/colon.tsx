import { useLanguage } from '../lib/language.tsx'

/** What stands between a label and what it labels: Chinese has a sign of its own, without a space. */
export const useColon = (): string => (useLanguage().language === 'zh' ? '：' : ': ')

/** The same as a part of a text. */
export const Colon = () => useColon()
