using Microsoft.AspNetCore.Http;

namespace Benchmarks.Pipelines.Parts;

/// <summary><see cref="ReturningPart{TTag}"/> as ASP.NET Core middleware.</summary>
internal sealed class ReturningMiddleware<TTag>(RequestDelegate next)
    where TTag : struct, ITag
{
    public Task InvokeAsync(HttpContext context)
    {
        ((BenchHttpContext)context).Message.Enter(TTag.Value);
        return next(context);
    }
}
