autocmd BufNewFile,BufRead *.keyfold setfiletype keyfold
