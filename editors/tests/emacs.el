;;; emacs.el --- the language server in Emacs, without a screen  -*- lexical-binding: t -*-

;; Opens a model with a mistake, looks at the findings, takes the quick fix and saves.

;;; Code:

(require 'eglot)
(require 'flymake)
(defconst keyfold-test-folder (file-name-directory load-file-name))
(load (expand-file-name "../emacs/keyfold-mode.el" keyfold-test-folder))

(defun keyfold-test-wait (what condition)
  "Wait until CONDITION holds; WHAT is missing if it never does."
  (let ((left 400))
    (while (and (> left 0) (not (funcall condition)))
      (accept-process-output nil 0.05)
      (setq left (1- left)))
    (when (= left 0)
      (message "no %s" what)
      (kill-emacs 1))))

(add-to-list 'eglot-server-programs
             `(keyfold-mode . (,(getenv "KEYFOLD_BIN") "lsp")))
(setq eglot-sync-connect 20
      flymake-no-changes-timeout 0.1)
(find-file "shop.keyfold")
(unless (eq major-mode 'keyfold-mode)
  (message "the mode is %s" major-mode)
  (kill-emacs 1))
(apply #'eglot (eglot--guess-contact))
(keyfold-test-wait "findings" (lambda () (flymake-start) (flymake-diagnostics)))
(let ((finding (car (flymake-diagnostics))))
  (unless (string-match-p "emial" (flymake-diagnostic-text finding))
    (message "the finding is %s" (flymake-diagnostic-text finding))
    (kill-emacs 1))
  (goto-char (flymake-diagnostic-beg finding)))
(let* ((server (eglot-current-server))
       (params (list :textDocument (eglot--TextDocumentIdentifier)
                     :range (list :start (eglot--pos-to-lsp-position)
                                  :end (eglot--pos-to-lsp-position))
                     :context (list :diagnostics [])))
       (actions (jsonrpc-request server :textDocument/codeAction params)))
  (eglot--apply-workspace-edit (plist-get (aref actions 0) :edit)))
(eglot--signal-textDocument/didChange)
(goto-char (point-min))
(search-forward "user_by")
(let ((hover (jsonrpc-request (eglot-current-server) :textDocument/hover
                              (eglot--TextDocumentPositionParams))))
  (unless (string-match-p "Shop.GSI1" (format "%s" hover))
    (message "hover says %s" hover)
    (kill-emacs 1)))
(save-buffer)
(eglot-shutdown (eglot-current-server))
(message "as it should be")

;;; emacs.el ends here
