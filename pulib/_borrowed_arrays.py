"""Numba type of borrowed arrays (:mod:`pulib._borrowed`), which uses private interfaces of ``numba.core``."""

from __future__ import annotations

import operator
from typing import Any

from numba import types
from numba.core import cgutils
from numba.core.typing.templates import AbstractTemplate, AttributeTemplate, infer_getattr, infer_global, signature
from numba.extending import intrinsic, lower_builtin, lower_getattr, models, register_model
from numba.np.arrayobj import make_array, populate_array


class Borrowed(types.Type):
    """Type of a borrowed array: element type, number of dimensions, and layout (contiguous "C", or "A")."""

    def __init__(self, dtype: types.Type, ndim: int, layout: str):
        self.dtype, self.ndim, self.layout = dtype, ndim, layout
        super().__init__(f"{dtype}{layout}{ndim}")


@register_model(Borrowed)
class _Model(models.StructModel):
    def __init__(self, manager: Any, borrowed: Borrowed):
        members = [("data", types.CPointer(borrowed.dtype)), ("shape", types.UniTuple(types.intp, borrowed.ndim))]
        if borrowed.layout != "C":
            members.append(("strides", types.UniTuple(types.intp, borrowed.ndim)))
        super().__init__(manager, borrowed, members)


def _type_of(ty: types.Type) -> types.Type:
    """Return the type after borrowing: arrays become borrowed, also in tuples; other types are unchanged."""
    if isinstance(ty, types.Array):
        return Borrowed(ty.dtype, ty.ndim, "C" if ty.layout == "C" else "A")
    if isinstance(ty, types.BaseNamedTuple):
        return types.BaseNamedTuple.from_types([_type_of(member) for member in ty], ty.instance_class)
    return ty


def _borrow(context: Any, builder: Any, ty: types.Type, value: Any) -> Any:
    if isinstance(ty, types.Array):
        array = cgutils.create_struct_proxy(ty)(context, builder, value=value)
        bare = cgutils.create_struct_proxy(_type_of(ty))(context, builder)
        bare.data, bare.shape = array.data, array.shape
        if ty.layout != "C":
            bare.strides = array.strides
        return bare._getvalue()
    if isinstance(ty, types.BaseNamedTuple):
        members = [_borrow(context, builder, member, builder.extract_value(value, i)) for i, member in enumerate(ty)]
        return context.make_tuple(builder, _type_of(ty), members)
    return value


@intrinsic
def borrowed(typing_context: Any, value: types.Type) -> Any:
    """Borrow an array, or the arrays of a named tuple; for kernels."""

    def code(context: Any, builder: Any, sig: Any, arguments: Any) -> Any:
        return _borrow(context, builder, value, arguments[0])

    return signature(_type_of(value), value), code


@intrinsic
def part(typing_context: Any, array: types.Type, start: types.Type, stop: types.Type) -> Any:
    """Slice a one-dimensional borrowed array into an ordinary array."""
    result = types.Array(array.dtype, 1, "C")

    def code(context: Any, builder: Any, sig: Any, arguments: Any) -> Any:
        bare = cgutils.create_struct_proxy(array)(context, builder, value=arguments[0])
        itemsize = context.get_constant(types.intp, context.get_abi_sizeof(context.get_data_type(array.dtype)))
        found = make_array(result)(context, builder)
        data, length = builder.gep(bare.data, [arguments[1]]), builder.sub(arguments[2], arguments[1])
        populate_array(found, data, (length,), (itemsize,), itemsize, meminfo=None)
        return found._getvalue()

    return signature(result, array, types.intp, types.intp), code


def _places(array: Borrowed, index: types.Type) -> tuple[types.Type, ...] | None:
    """Return the types of the index of an element; None if it selects more than one element."""
    places = tuple(index) if isinstance(index, types.BaseTuple) else (index,)
    if len(places) != array.ndim or not all(isinstance(place, types.Integer) for place in places):
        return None
    return tuple(types.unliteral(place) for place in places)


def _index(places: tuple[types.Type, ...]) -> types.Type:
    return places[0] if len(places) == 1 else types.Tuple(places)


@infer_global(operator.getitem)
class _GetItem(AbstractTemplate):
    def generic(self, args: Any, kws: Any) -> Any:
        if isinstance(args[0], Borrowed) and (places := _places(*args)) is not None:
            return signature(args[0].dtype, args[0], _index(places))
        return None


@infer_global(operator.setitem)
class _SetItem(AbstractTemplate):
    def generic(self, args: Any, kws: Any) -> Any:
        if isinstance(args[0], Borrowed) and (places := _places(*args[:2])) is not None:
            return signature(types.none, args[0], _index(places), args[0].dtype)
        return None


def _address(context: Any, builder: Any, sig: Any, args: Any) -> Any:
    """Address of an element."""
    ty, index = sig.args[:2]
    array = cgutils.create_struct_proxy(ty)(context, builder, value=args[0])
    single = not isinstance(index, types.BaseTuple)
    values = [args[1]] if single else cgutils.unpack_tuple(builder, args[1])
    indexed = (index,) if single else tuple(index)
    places = [context.cast(builder, value, place, types.intp) for value, place in zip(values, indexed, strict=True)]
    if ty.layout == "C":
        offset = places[0]
        for place, length in zip(places[1:], cgutils.unpack_tuple(builder, array.shape)[1:], strict=True):
            offset = builder.add(builder.mul(offset, length), place)
        return builder.gep(array.data, [offset])
    steps = [builder.mul(place, step) for place, step in zip(places, cgutils.unpack_tuple(builder, array.strides), strict=True)]
    offset = steps[0]
    for step in steps[1:]:
        offset = builder.add(offset, step)
    return cgutils.pointer_add(builder, array.data, offset)


@lower_builtin(operator.getitem, Borrowed, types.Integer)
@lower_builtin(operator.getitem, Borrowed, types.BaseTuple)
def _get(context: Any, builder: Any, sig: Any, args: Any) -> Any:
    return context.unpack_value(builder, sig.return_type, _address(context, builder, sig, args))


@lower_builtin(operator.setitem, Borrowed, types.Integer, types.Any)
@lower_builtin(operator.setitem, Borrowed, types.BaseTuple, types.Any)
def _set(context: Any, builder: Any, sig: Any, args: Any) -> Any:
    context.pack_value(builder, sig.args[2], args[2], _address(context, builder, sig, args))
    return context.get_dummy_value()


@infer_getattr
class _Attributes(AttributeTemplate):
    key = Borrowed

    def resolve_shape(self, array: Borrowed) -> types.Type:
        return types.UniTuple(types.intp, array.ndim)


@lower_getattr(Borrowed, "shape")
def _shape(context: Any, builder: Any, ty: Borrowed, value: Any) -> Any:
    return cgutils.create_struct_proxy(ty)(context, builder, value=value).shape


@infer_global(len)
class _Len(AbstractTemplate):
    def generic(self, args: Any, kws: Any) -> Any:
        return signature(types.intp, *args) if isinstance(args[0], Borrowed) else None


@lower_builtin(len, Borrowed)
def _len(context: Any, builder: Any, sig: Any, args: Any) -> Any:
    return builder.extract_value(_shape(context, builder, sig.args[0], args[0]), 0)
