"""The processor's prefetch, which Numba does not offer: it fetches memory before the memory is needed."""

from llvmlite import ir
from numba import njit, types
from numba.core import cgutils
from numba.extending import intrinsic

LINE = 16  # float32 of a cache line


@intrinsic
def _prefetch(typing_context, matrix, row, column):
    """Fetch the cache line of `matrix[row, column]`, to be written."""

    def generate(context, builder, signature, arguments):
        array = context.make_array(signature.args[0])(context, builder, arguments[0])
        steps = cgutils.unpack_tuple(builder, array.strides)
        offset = builder.add(builder.mul(arguments[1], steps[0]), builder.mul(arguments[2], steps[1]))
        byte, number = ir.IntType(8).as_pointer(), ir.IntType(32)
        place = builder.gep(builder.bitcast(array.data, byte), [offset])
        kind = ir.FunctionType(ir.VoidType(), [byte, number, number, number])
        function = cgutils.get_or_insert_function(builder.module, kind, "llvm.prefetch.p0")
        for_writing, keep_long, of_data = (ir.Constant(number, value) for value in (1, 3, 1))
        builder.call(function, [place, for_writing, keep_long, of_data])
        return context.get_dummy_value()

    return types.void(matrix, types.int64, types.int64), generate


@njit(cache=True)
def prefetch_row(matrix, row):
    """Fetch a row of `matrix` (n, dim) float32."""
    for column in range(0, matrix.shape[1], LINE):
        _prefetch(matrix, row, column)
