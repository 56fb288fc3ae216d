import apiTexts from '../../../data/docs/zh/api.json' with { type: 'json' }
import configurationTexts from '../../../data/docs/zh/configuration.json' with { type: 'json' }
import translationTexts from '../../../data/docs/zh/translation.json' with { type: 'json' }
import type { Language } from '../../look/language.ts'

// The references are made of the program's own English sentences: here are their Chinese ones.

const texts: Readonly<Record<string, string>> = {
  ...apiTexts,
  ...configurationTexts,
  ...translationTexts,
}

/** A sentence of the references in a language; one that nobody translated stays English. */
export const said = (text: string, language: Language): string =>
  language === 'zh' ? (texts[text] ?? text) : text

/** The kind of a value in a language: `list of size or null`. */
export function kindIn(kind: string, language: Language): string {
  if (language === 'en') return kind
  const [, list, names = '', orNull = ''] = /^(list of )?(.*?)( or null)?$/.exec(kind) ?? []
  const either = names.split(' or ').map((name) => kinds[name] ?? name)
  const many = either.length > 1 ? '的列表' : '列表'
  return spaced(either.join('或') + (list ? many : '') + (orNull && '或 null'))
}

/** Chinese beside Latin letters, with the space between them. */
const spaced = (text: string) => text.replace(/([\u4e00-\u9fff])(?=[A-Za-z])/g, '$1 ')

const kinds: Readonly<Record<string, string>> = {
  ...{ 'address to listen on': '监听地址', 'IP address': 'IP 地址', 'CIDR block': 'CIDR 网段' },
  ...{ size: '大小', 'number of workers': '工作进程数', integer: '整数', folder: '目录' },
  ...{ duration: '时长', database: '数据库', map: '映射', word: '固定值', name: '名称' },
  ...{ Valkey: 'Valkey', Redis: 'Redis', domain: '域名', 'web address': '网址' },
  ...{ colour: '颜色', text: '文本', boolean: '布尔值', amount: '金额', key: '文本' },
  ...{ 'name of a header': '请求头名称', 'id for addresses': '地址用 ID', null: 'null' },
  ...{ proxy: '代理', multiplier: '倍率', country: '国家/地区', 'e-mail address': '邮箱' },
  ...{ price: '价格', password: '密码', 'token key': '令牌密钥', 'date and time': '日期与时间' },
  ...{
    string: '字符串',
    array: '数组',
    object: '对象',
    number: '数字',
    path: '路径',
    query: '查询',
  },
}
