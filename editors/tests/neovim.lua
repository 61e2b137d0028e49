-- Opens a model with a mistake in Neovim, looks at the findings, takes the quick fix and saves.

local function fail(message)
  io.stderr:write(message .. "\n")
  vim.cmd("cquit 1")
end

local function wait_for(what, condition)
  if not vim.wait(20000, condition, 20) then
    fail("no " .. what)
  end
end

vim.opt.runtimepath:append(debug.getinfo(1, "S").source:sub(2):match("(.*)/tests/") .. "/vim")
vim.cmd("filetype on")
vim.cmd("edit shop.keyfold")
if vim.bo.filetype ~= "keyfold" then
  fail("the file type is " .. vim.bo.filetype)
end
local client = vim.lsp.start_client({
  name = "keyfold",
  cmd = { os.getenv("KEYFOLD_BIN"), "lsp" },
  root_dir = vim.fn.getcwd(),
})
vim.lsp.buf_attach_client(0, client)
wait_for("findings", function()
  return #vim.diagnostic.get(0) > 0
end)
local finding = vim.diagnostic.get(0)[1]
if not finding.message:find("emial") then
  fail("the finding is " .. finding.message)
end

local function ask(method, params)
  local answers = vim.lsp.buf_request_sync(0, method, params, 20000) or {}
  local answer = answers[client] or {}
  if answer.err then
    fail(method .. ": " .. vim.inspect(answer.err))
  end
  return answer.result
end

vim.api.nvim_win_set_cursor(0, { finding.lnum + 1, finding.col })
local params = vim.lsp.util.make_range_params()
params.context = { diagnostics = {} }
local actions = ask("textDocument/codeAction", params)
vim.lsp.util.apply_workspace_edit(actions[1].edit, "utf-16")
wait_for("end of the findings", function()
  return #vim.diagnostic.get(0) == 0
end)

vim.api.nvim_win_set_cursor(0, { 12, 10 })
local hover = ask("textDocument/hover", vim.lsp.util.make_position_params())
if not hover.contents.value:find("Shop.GSI1") then
  fail("hover says " .. vim.inspect(hover))
end
vim.cmd("write")
io.stderr:write("as it should be\n")
vim.cmd("quitall")
