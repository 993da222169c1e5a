using Quayside.Pipeline.Contexts;
using Tests.Shared;

namespace Pipeline.Tests.Contexts;

/// <summary>A reset clears everything that a message left in a context: checked for every field of every context type.</summary>
public sealed class ContextResetTests
{
    public static TheoryData<Type> ContextTypes =>
        [.. typeof(PipelineContext).Assembly.GetTypes().Where(type => type.IsSubclassOf(typeof(PipelineContext)) && !type.IsAbstract)];

    [Theory]
    [MemberData(nameof(ContextTypes))]
    public void Reset_EveryFieldSet_ClearsEveryField(Type type)
    {
        PipelineContext used = (PipelineContext)Activator.CreateInstance(type)!;
        PipelineContext fresh = (PipelineContext)Activator.CreateInstance(type)!;
        NonDefault.Fill(used);
        NonDefault
            .Differences(used, fresh)
            .Count()
            .ShouldBe(NonDefault.FieldsOf(type).Count(field => !field.IsInitOnly), "the test must have changed every field");

        used.Reset();

        NonDefault.Differences(used, fresh).ShouldBeEmpty();
    }
}
