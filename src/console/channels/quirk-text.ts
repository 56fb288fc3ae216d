import type { Texts } from '../lib/texts.ts'

const en = {
  max_tokens: 'Chat: takes max_tokens, not max_completion_tokens',
  no_developer_role: 'Chat: knows the role system only, not developer',
  reasoning_content:
    'Chat: wants the reasoning of earlier turns back in reasoning_content (DeepSeek, Moonshot)',
  image_tool_results: 'Chat: takes images in the result of a tool',
  text_completions:
    'Chat: answers POST /completions (legacy) itself; others are asked by chat completions for it',
  text_only: 'Chat: takes text only; requests with images, documents or sound are refused',
  no_json_schema: 'Chat: has JSON mode but no schemas; requests with a schema are refused',
  no_stream_usage: 'Chat: does not know stream_options',
  cache_control: 'Chat: takes cache_control in content parts and tools (OpenRouter)',
  prompt_cache_key: 'Chat: takes prompt_cache_key (OpenAI and Azure need no mention)',
  no_prompt_cache_key: 'Responses: gets no prompt_cache_key but the client’s own',
  no_reasoning_summary: 'Responses: refuses reasoning.summary (OpenAI, unverified organisation)',
  no_cache_control: 'Messages: gets no cache_control (prompt cache) but the client’s own',
  thinking_budget: 'Messages: takes thinking with a budget only, no adaptive thinking, no effort',
  gemini_budget: 'Gemini: takes a thinkingBudget, no thinkingLevel (Gemini 2.5)',
  web_search: 'Responses, messages, gemini: runs web searches for all of its models',
}

/** What each quirk of a channel means. */
export const quirkText: Texts<typeof en> = {
  en,
  zh: {
    max_tokens: 'Chat：使用 max_tokens，而非 max_completion_tokens',
    no_developer_role: 'Chat：只支持 system 角色，不支持 developer',
    reasoning_content: 'Chat：需要在 reasoning_content 中回传之前的推理（DeepSeek、Moonshot）',
    image_tool_results: 'Chat：工具结果中可以包含图片',
    text_completions: 'Chat：自身支持旧版 POST /completions；其他渠道以 chat completions 代替',
    text_only: 'Chat：只接受文本；含图片、文档或音频的请求会被拒绝',
    no_json_schema: 'Chat：有 JSON 模式但不支持 Schema；带 Schema 的请求会被拒绝',
    no_stream_usage: 'Chat：不支持 stream_options',
    cache_control: 'Chat：内容与工具中可带 cache_control（OpenRouter）',
    prompt_cache_key: 'Chat：支持 prompt_cache_key（OpenAI 与 Azure 无需声明）',
    no_prompt_cache_key: 'Responses：不自动添加 prompt_cache_key，只转发客户端自带的',
    no_reasoning_summary: 'Responses：拒绝 reasoning.summary（OpenAI 未验证的组织）',
    no_cache_control: 'Messages：不自动添加 cache_control（提示缓存），只转发客户端自带的',
    thinking_budget: 'Messages：思考只支持预算，不支持自适应与 effort',
    gemini_budget: 'Gemini：使用 thinkingBudget，不支持 thinkingLevel（Gemini 2.5）',
    web_search: 'Responses、messages、gemini：为其所有模型运行网络搜索',
  },
}
