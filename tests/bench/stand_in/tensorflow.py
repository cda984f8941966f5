"""Stands in for TensorFlow 1, which create_pretraining_data.py imports and which is hard to install today.

Implements only what the script uses: flags, files and containers. Nothing is serialized; "written" records
are only counted, in the output file. So the measured time is that of the script itself, less than with
TensorFlow.
"""
import glob
import sys
from types import SimpleNamespace

FLAGS = SimpleNamespace()


def _define(read):
    def define(name, default, _help):
        setattr(FLAGS, name, default)
        for argument in sys.argv[1:]:
            flag, _, value = argument.partition("=")
            if flag == "--" + name:
                setattr(FLAGS, name, read(value))
    return define


flags = SimpleNamespace(
    FLAGS=FLAGS, DEFINE_string=_define(str), DEFINE_integer=_define(int), DEFINE_float=_define(float),
    DEFINE_bool=_define(lambda value: value.lower() == "true"), mark_flag_as_required=lambda name: None)
gfile = SimpleNamespace(GFile=lambda path, mode: open(path, mode, encoding="utf-8"), Glob=glob.glob)
logging = SimpleNamespace(INFO=0, set_verbosity=lambda level: None, info=lambda *message: None)
app = SimpleNamespace(run=lambda: sys.modules["__main__"].main(sys.argv))


class _Writer:
    def __init__(self, path):
        self.path, self.count = path, 0

    def write(self, _record):
        self.count += 1

    def close(self):
        with open(self.path, "w", encoding="ascii") as file:
            file.write(f"{self.count}\n")


class _List:
    def __init__(self, value=()):
        self.value = value


class _Feature:
    def __init__(self, int64_list=_List(), float_list=_List()):
        self.int64_list, self.float_list = int64_list, float_list


class _Example:
    def __init__(self, features):
        self.features = features

    def SerializeToString(self):  # pylint: disable=invalid-name
        return b""


python_io = SimpleNamespace(TFRecordWriter=_Writer)
train = SimpleNamespace(Int64List=_List, FloatList=_List, Feature=_Feature, Features=lambda feature: feature,
                        Example=_Example)
