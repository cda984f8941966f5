# fish completion of bert-convert(1)
complete -c bert-convert -l out -r -d 'Write the model to this directory'
complete -c bert-convert -l store -x -a 'same f32 f16 bf16' -d 'Format of the numbers'
complete -c bert-convert -l info -d 'Print what the directory holds'
complete -c bert-convert -l verify -d 'Check all sums'
complete -c bert-convert -s q -l quiet -d 'Only errors'
complete -c bert-convert -s v -l verbose -d 'Say more'
complete -c bert-convert -s h -l help -d 'Show help'
complete -c bert-convert -l version -d 'Show versions'
