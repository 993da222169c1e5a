using Benchmarks.Pipelines.Parts;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Http;

namespace Benchmarks.Pipelines.Chains;

internal sealed class MiddlewareChain : Chain
{
    private readonly RequestDelegate _pipeline;

    public MiddlewareChain(Type[] middleware)
    {
        ApplicationBuilder builder = new(new NoServices());
        foreach (Type type in middleware)
        {
            builder.UseMiddleware(type);
        }

        builder.Run(static context =>
        {
            ValueTask end = ((BenchHttpContext)context).Message.EndAsync();
            return end.IsCompletedSuccessfully ? Task.CompletedTask : AwaitAsync(end);
        });
        _pipeline = builder.Build();
    }

    public override object Prepare(BenchContext context) => new BenchHttpContext(context);

    public override ValueTask InvokeAsync(BenchContext context, object? prepared) => new(_pipeline((HttpContext)prepared!));

    private static async Task AwaitAsync(ValueTask end) => await end;

    private sealed class NoServices : IServiceProvider
    {
        public object? GetService(Type serviceType) => null;
    }
}
