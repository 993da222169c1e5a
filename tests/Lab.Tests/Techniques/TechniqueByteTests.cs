using Benchmarks.Bytes;
using Lab.Techniques.ArrayPools;
using Lab.Techniques.ArraySlicing;
using Lab.Techniques.Boxing;
using Lab.Techniques.Delegates;
using Lab.Techniques.EmptyCollections;
using Lab.Techniques.JsonPooling;
using Lab.Techniques.MemoryPools;
using Lab.Techniques.NameParsing;
using Lab.Techniques.NativeBuffers;
using Lab.Techniques.Stackalloc;
using Lab.Techniques.StringCreation;
using Lab.Techniques.StringJoins;
using Lab.Techniques.ThreadStatics;
using Lab.Techniques.TypedViews;
using Lab.Techniques.ValueTasks;

namespace Lab.Tests.Techniques;

/// <summary>The documented bytes hold on this runtime. When a newer runtime changes a figure, this test fails and the page needs an update.</summary>
public sealed class TechniqueByteTests
{
    private static readonly TimeSpan Limit = TimeSpan.FromMinutes(5);

    private static readonly Dictionary<string, (long Bytes, Action Run)> Claims = Create();

    // Keeps each result: the compiler may remove the allocation of an unused one.
    private static object? _kept;

    public static TheoryData<string> Names() => [.. Claims.Keys];

    [Theory]
    [MemberData(nameof(Names))]
    public void Measure_AVariant_AllocatesWhatItsPageSays(string name)
    {
        (long expected, Action run) = Claims[name];

        // Some figures hold only once the compiler's last tier is in use, which takes longer on a busy machine.
        DateTime end = DateTime.UtcNow + Limit;
        long bytes;
        do
        {
            bytes = ByteMeter.Measure(new Variant(name, run));
        }
        while (bytes != expected && DateTime.UtcNow < end);

        bytes.ShouldBe(expected);
    }

    private static Dictionary<string, (long Bytes, Action Run)> Create()
    {
        ArraySlicingBenchmarks slicing = Ready(new ArraySlicingBenchmarks { Size = 1_000 }, suite => suite.Setup());
        NameParserBenchmarks names = Ready(new NameParserBenchmarks(), suite => suite.Setup());
        ArrayPoolBenchmarks arrays = Ready(new ArrayPoolBenchmarks { SizeInBytes = 1_000 }, suite => suite.Setup());
        MemoryPoolBenchmarks memories = Ready(new MemoryPoolBenchmarks(), suite => suite.Setup());
        NativeBufferBenchmarks native = Ready(new NativeBufferBenchmarks { SizeInBytes = 10_240 }, suite => suite.Setup());
        StackallocBenchmarks stack = Ready(new StackallocBenchmarks(), suite => suite.Setup());
        StringCreationBenchmarks strings = Ready(new StringCreationBenchmarks(), suite => suite.Setup());
        StringJoinBenchmarks joins = Ready(new StringJoinBenchmarks(), suite => suite.Setup());
        ValueTaskBenchmarks kept = Ready(new ValueTaskBenchmarks { Value = 1 }, suite => suite.Setup());
        ValueTaskBenchmarks fresh = Ready(new ValueTaskBenchmarks { Value = 1_000 }, suite => suite.Setup());
        TypedViewBenchmarks views = Ready(new TypedViewBenchmarks(), suite => suite.Setup());
        JsonPoolingBenchmarks json = Ready(new JsonPoolingBenchmarks(), suite => suite.Setup());
        DelegateBenchmarks delegates = Ready(new DelegateBenchmarks(), suite => suite.Setup());
        EmptyCollectionBenchmarks empty = Ready(new EmptyCollectionBenchmarks(), suite => suite.Setup());
        BoxingBenchmarks boxing = Ready(new BoxingBenchmarks(), suite => suite.Setup());
        ThreadStaticBenchmarks threads = Ready(new ThreadStaticBenchmarks(), suite => suite.Setup());
        return new Dictionary<string, (long Bytes, Action Run)>(StringComparer.Ordinal)
        {
            ["ArraySlicing.Original"] = (96, slicing.Original),
            ["ArraySlicing.Span"] = (0, () => slicing.Span()),
            ["NameParser.Original"] = (144, () => _kept = names.Original()),
            ["NameParser.Substring"] = (40, () => _kept = names.Substring()),
            ["NameParser.SplitRanges"] = (0, () => names.SplitRanges()),
            ["ArrayPool.RentAndReturn"] = (0, () => arrays.RentAndReturn()),
            ["ArrayPool.PooledBuffer"] = (0, () => arrays.PooledBuffer()),
            ["MemoryPool.MemoryPoolShared"] = (24, () => memories.MemoryPoolShared()),
            ["MemoryPool.BufferPoolOwner"] = (0, () => memories.BufferPoolOwner()),
            ["NativeBuffer.NativePool"] = (0, () => native.NativePool()),
            ["Stackalloc.EscapingArray"] = (104, () => stack.EscapingArray()),
            ["Stackalloc.LocalArray"] = (0, () => stack.LocalArray()),
            ["StringCreation.Original"] = (224, () => _kept = strings.Original()),
            ["StringCreation.Builder"] = (288, () => _kept = strings.Builder()),
            ["StringCreation.StackAlloc"] = (80, () => _kept = strings.StackAlloc()),
            ["StringCreation.StringCreate"] = (80, () => _kept = strings.StringCreate()),
            ["StringJoin.StringJoin"] = (168, () => _kept = joins.StringJoin()),
            ["StringJoin.StringBuilder"] = (288, () => _kept = joins.StringBuilder()),
            ["StringJoin.InterpolationHandler"] = (80, () => _kept = joins.InterpolationHandler()),
            ["ValueTask.TaskFromResult kept"] = (0, () => kept.TaskFromResult()),
            ["ValueTask.AsyncTask kept"] = (0, () => kept.AsyncTask()),
            ["ValueTask.TaskFromResult"] = (72, () => fresh.TaskFromResult()),
            ["ValueTask.AsyncValueTask"] = (0, () => fresh.AsyncValueTask()),
            ["TypedView.Primitives"] = (0, () => views.Primitives()),
            ["JsonPooling.PooledWriter"] = (0, () => json.PooledWriter()),
            ["Delegate.Closure"] = (96, () => delegates.Closure()),

            // Not ClosureInlined: whether its delegate is allocated on the stack depends on the calls that the compiler has seen, and differs between runs.
            ["Delegate.StaticLambda"] = (0, () => delegates.StaticLambda()),
            ["Delegate.ValueDelegate"] = (0, () => delegates.ValueDelegate()),
            ["Delegate.BoxedValueDelegate"] = (32, () => delegates.BoxedValueDelegate()),
            ["EmptyCollection.CollectionExpression"] = (0, () => _kept = empty.CollectionExpression()),
            ["EmptyCollection.ListExpression"] = (32, () => _kept = empty.ListExpression()),

            // A hundred comparisons of two boxes each.
            ["Boxing.ObjectEquals"] = (4_800, () => boxing.ObjectEquals()),
            ["Boxing.DefaultComparer"] = (0, () => boxing.DefaultComparer()),
            ["ThreadStatic.ThreadStatic"] = (0, () => threads.ThreadStatic()),
        };
    }

    private static TSuite Ready<TSuite>(TSuite suite, Action<TSuite> setUp)
    {
        setUp(suite);
        return suite;
    }

    private sealed record Variant(string Variation, Action Run) : ByteCase
    {
        public override string Name => Variation;

        public override Action Prepare() => Run;
    }
}
