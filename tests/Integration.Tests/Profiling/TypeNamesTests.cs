using Harness;

namespace Integration.Tests.Profiling;

public sealed class TypeNamesTests
{
    private const string Here = "Integration.Tests.Profiling.TypeNamesTests";

    public static TheoryData<Type, string> Names => new()
    {
        { typeof(string), "System.String" },
        { typeof(List<int>), "System.Collections.Generic.List<System.Int32>" },
        { typeof(Dictionary<string, List<byte[]>>), "System.Collections.Generic.Dictionary<System.String, System.Collections.Generic.List<System.Byte[]>>" },
        { typeof(Dictionary<string, int>.KeyCollection.Enumerator), "System.Collections.Generic.Dictionary<System.String, System.Int32>.KeyCollection.Enumerator" },
        { typeof(Outer<int>.Inner<string>), $"{Here}.Outer<System.Int32>.Inner<System.String>" },
        { typeof(Outer<int>.Plain[]), $"{Here}.Outer<System.Int32>.Plain[]" },
        { typeof(int[,]), "System.Int32[,]" },
        { typeof(int[][,]), "System.Int32[][,]" },
        { typeof(List<int[,]>[]), "System.Collections.Generic.List<System.Int32[,]>[]" },
        { typeof(List<>), "System.Collections.Generic.List<T>" },
        { typeof(int).MakePointerType(), "System.Int32*" },
        { typeof(int).MakeByRefType(), "System.Int32&" },
    };

    [Theory]
    [MemberData(nameof(Names))]
    public void Format_Type_IsWrittenAsInCSharp(Type type, string name) => TypeNames.Format(type).ShouldBe(name);

    private static class Outer<T>
    {
        public sealed record Inner<TInner>(T One, TInner Two);

        public sealed record Plain(T One);
    }
}
